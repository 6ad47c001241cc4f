/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/assay-spawn.c: see assay-spawn.h; spawn-keeper.c is the process in between. */
#include "assay-spawn.h"

#include "assay-engine-error.h"
#include "spawn-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <glib/gi18n-lib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_BYTES 65536
#define DRAIN_MS 200 /* for what a dead child left in its pipes */

typedef struct
{
  gint file;         /* -1: at its end */
  GString *line;
} SpawnPipe;

struct _AssaySpawn
{
  AssaySpawnScope *scope; /* borrowed */
  gint keeper, child;
  gint news, input;  /* -1: closed */
  SpawnPipe pipes[2]; /* by AssaySpawnStream */
  GBytes *told;
  gsize n_told;
  guint64 dropped;
  gboolean ended;
  gint status;
  guint stragglers;
};

/* --- start --- */

static gboolean
spawn_open_pipes (gint pipes[4][2], GError **error)
{
  for (guint i = 0; i < 4; i++)
    pipes[i][0] = pipes[i][1] = -1;
  for (guint i = 0; i < 4; i++)
    if (!g_unix_open_pipe (pipes[i], FD_CLOEXEC, error))
      return FALSE;
  return TRUE;
}

static void
spawn_close_pipes (gint pipes[4][2])
{
  for (guint i = 0; i < 8; i++)
    if (pipes[i / 2][i % 2] >= 0)
      close (pipes[i / 2][i % 2]);
}

/* Every signal waits while the keeper is made: it must not run the window's handlers. */
static gint
spawn_fork (const SpawnKeeper *keeper)
{
  sigset_t all, before;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  const gint pid = fork ();
  if (pid == 0)
    spawn_keeper_main (keeper);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return pid;
}

static void
spawn_set_refused (GError **error, const char *program, gint number)
{
  const char *way = number == ENOENT   ? _("there is no such file")
                    : number == ENOEXEC ? _("it is no program, or one of another machine")
                    : number == EACCES  ? _("it may not be executed: it is a folder, or not marked as a program, or lies "
                                            "where programs are not allowed")
                                        : g_strerror (number);
  assay_engine_error_set (error, ASSAY_ENGINE_ERROR_DEVICE, "child-not-started", program, "program", -1,
                          _("it could not be started: %s; choose another program"), way);
}

/* The first news: the child is there, or why not. */
static gboolean
spawn_wait_for_start (AssaySpawn *self, const char *program, GError **error)
{
  SpawnNews news;
  gssize n;
  do
    n = read (self->news, &news, sizeof news);
  while (n < 0 && errno == EINTR);
  if (n == sizeof news && news.kind == SPAWN_NEWS_STARTED)
    {
      self->child = news.value;
      return TRUE;
    }
  spawn_set_refused (error, program, n == sizeof news ? news.value : EIO);
  return FALSE;
}

static void
spawn_adopt_pipes (AssaySpawn *self, gint pipes[4][2])
{
  self->input = g_steal_fd (&pipes[0][1]);
  self->pipes[ASSAY_SPAWN_OUTPUT].file = g_steal_fd (&pipes[1][0]);
  self->pipes[ASSAY_SPAWN_ERRORS].file = g_steal_fd (&pipes[2][0]);
  self->news = g_steal_fd (&pipes[3][0]);
  g_unix_set_fd_nonblocking (self->input, TRUE, NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_unix_set_fd_nonblocking (self->pipes[i].file, TRUE, NULL);
      self->pipes[i].line = g_string_new (NULL);
    }
}

AssaySpawn *
assay_spawn_new (const char *const *argv, const char *folder, GBytes *input, AssaySpawnScope *scope, guint grace_ms,
                 GError **error)
{
  gint pipes[4][2]; /* input, output, errors, news */
  g_auto (GStrv) command = assay_spawn_scope_dup_command (scope, argv);
  if (!spawn_open_pipes (pipes, error))
    {
      spawn_close_pipes (pipes);
      return NULL;
    }
  const SpawnKeeper keeper = { .argv = command, .folder = folder, .input = pipes[0][0], .output = pipes[1][1],
                               .errors = pipes[2][1], .news = pipes[3][1], .group = assay_spawn_scope_get_file (scope),
                               .parent = getpid (), .grace_ms = (gint) grace_ms };
  AssaySpawn *self = g_new0 (AssaySpawn, 1);
  self->scope = scope;
  self->told = g_bytes_ref (input);
  self->keeper = spawn_fork (&keeper);
  const gint failure = errno;
  spawn_adopt_pipes (self, pipes);
  spawn_close_pipes (pipes);
  if (self->keeper >= 0 && spawn_wait_for_start (self, argv[0], error))
    return self;
  if (self->keeper < 0)
    spawn_set_refused (error, argv[0], failure);
  assay_spawn_free (self);
  return NULL;
}

/* --- lines --- */

static void
pipe_add (AssaySpawn *self, SpawnPipe *pipe, const char *bytes, gsize n)
{
  const gsize fits = MIN (n, ASSAY_SPAWN_LINE_MAX - MIN (pipe->line->len, ASSAY_SPAWN_LINE_MAX));
  g_string_append_len (pipe->line, bytes, (gssize) fits);
  self->dropped += n - fits;
}

static void
pipe_end_line (SpawnPipe *pipe, AssaySpawnStream stream, AssaySpawnLineFunc func, gpointer data)
{
  if (pipe->line->len > 0 && pipe->line->str[pipe->line->len - 1] == '\r')
    g_string_truncate (pipe->line, pipe->line->len - 1);
  func (stream, pipe->line->str, pipe->line->len, data);
  g_string_truncate (pipe->line, 0);
}

/* One block, so that neither pipe and nobody who asks for an end waits long. FALSE at the end of the pipe. */
static gboolean
pipe_read (AssaySpawn *self, AssaySpawnStream stream, AssaySpawnLineFunc func, gpointer data)
{
  SpawnPipe *pipe = &self->pipes[stream];
  char block[READ_BYTES];
  const gssize n = read (pipe->file, block, sizeof block);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return TRUE;
  const char *next = block, *end = block + MAX (n, 0);
  for (const char *line_end; (line_end = memchr (next, '\n', (gsize) (end - next))) != NULL; next = line_end + 1)
    {
      pipe_add (self, pipe, next, (gsize) (line_end - next));
      pipe_end_line (pipe, stream, func, data);
    }
  pipe_add (self, pipe, next, (gsize) (end - next));
  if (n > 0)
    return TRUE;
  if (pipe->line->len > 0) /* half a line is all that there will be of it */
    pipe_end_line (pipe, stream, func, data);
  close (g_steal_fd (&pipe->file));
  return FALSE;
}

/* --- a turn --- */

/* A child need not listen: that is an error here, and must be no signal to the whole program. */
static gssize
spawn_write_quietly (gint file, const char *bytes, gsize n)
{
  const struct timespec none = { 0, 0 };
  sigset_t pipe, before;
  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe, &before);
  const gssize written = write (file, bytes, n);
  const gint failure = errno;
  if (written < 0 && failure == EPIPE)
    sigtimedwait (&pipe, NULL, &none);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  errno = failure;
  return written;
}

static void
spawn_feed (AssaySpawn *self)
{
  gsize length;
  const char *bytes = g_bytes_get_data (self->told, &length);
  const gssize n
      = length > self->n_told ? spawn_write_quietly (self->input, bytes + self->n_told, length - self->n_told) : 0;
  self->n_told += (gsize) MAX (n, 0);
  if (self->n_told == length || (n < 0 && errno != EAGAIN && errno != EINTR))
    close (g_steal_fd (&self->input));
}

/* The keeper has the last word; without it, it was killed, and its family with it. */
static void
spawn_read_news (AssaySpawn *self)
{
  SpawnNews news;
  const gssize n = read (self->news, &news, sizeof news);
  if (n < 0 && errno == EINTR)
    return;
  self->ended = TRUE;
  self->status = n == sizeof news && news.kind == SPAWN_NEWS_ENDED ? news.value : SIGKILL;
  self->stragglers = n == sizeof news ? (guint) MAX (news.stragglers, 0) : 0;
  close (g_steal_fd (&self->news));
}

/* A file of -1 is passed over. */
static guint
spawn_poll (AssaySpawn *self, guint timeout_ms, struct pollfd files[4])
{
  files[0] = (struct pollfd) { self->pipes[0].file, POLLIN, 0 };
  files[1] = (struct pollfd) { self->pipes[1].file, POLLIN, 0 };
  files[2] = (struct pollfd) { self->news, POLLIN, 0 };
  files[3] = (struct pollfd) { self->input, POLLOUT, 0 };
  const gint n = poll (files, 4, (gint) timeout_ms);
  return n > 0 ? (guint) n : 0;
}

static void
spawn_drain (AssaySpawn *self, AssaySpawnLineFunc func, gpointer data)
{
  const gint64 until = g_get_monotonic_time () + DRAIN_MS * 1000;
  for (guint i = 0; i < 2; i++)
    while (self->pipes[i].file >= 0 && g_get_monotonic_time () < until && pipe_read (self, i, func, data))
      {
        struct pollfd one = { self->pipes[i].file, POLLIN, 0 };
        poll (&one, 1, 10);
      }
}

gboolean
assay_spawn_turn (AssaySpawn *self, guint timeout_ms, AssaySpawnLineFunc func, gpointer data)
{
  struct pollfd files[4];
  if (self->ended)
    return FALSE;
  assay_spawn_scope_note_child (self->scope, self->child);
  if (spawn_poll (self, timeout_ms, files) == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    if (files[i].revents != 0)
      pipe_read (self, i, func, data);
  if (files[3].revents != 0)
    spawn_feed (self);
  if (files[2].revents != 0)
    spawn_read_news (self);
  if (self->ended)
    spawn_drain (self, func, data);
  return !self->ended;
}

/* --- the end --- */

void
assay_spawn_stop (AssaySpawn *self)
{
  if (!self->ended)
    kill (self->keeper, SIGTERM); /* ours, and not waited for yet: the number is nobody else's */
}

void
assay_spawn_free (AssaySpawn *self)
{
  if (self == NULL)
    return;
  if (self->keeper > 0)
    {
      assay_spawn_stop (self);
      while (waitpid (self->keeper, NULL, 0) < 0 && errno == EINTR)
        ;
    }
  for (guint i = 0; i < 2; i++)
    {
      if (self->pipes[i].file >= 0)
        close (self->pipes[i].file);
      g_string_free (self->pipes[i].line, TRUE);
    }
  if (self->input >= 0)
    close (self->input);
  if (self->news >= 0)
    close (self->news);
  g_bytes_unref (self->told);
  g_free (self);
}

gint
assay_spawn_get_family (AssaySpawn *self)
{
  return self->keeper;
}

gint
assay_spawn_get_exit (AssaySpawn *self, gint *signal)
{
  *signal = WIFSIGNALED (self->status) ? WTERMSIG (self->status) : 0;
  return WIFEXITED (self->status) ? WEXITSTATUS (self->status) : -1;
}

guint
assay_spawn_get_n_stragglers (AssaySpawn *self)
{
  return self->stragglers;
}

guint64
assay_spawn_get_dropped (AssaySpawn *self)
{
  return self->dropped;
}
