/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/runtimes/spawn-keeper.c: a process between Assay and a child, so that nothing of the child outlives either.
 *
 *   Assay ── keeper ── child ── whatever it starts
 *
 * Whoever in the child's family loses its parent, by forking twice or by a session of its own, becomes the keeper's
 * (PR_SET_CHILD_SUBREAPER). So its children are all there is, found by kinship and never by name, and strangers cannot be
 * among them. SIGTERM asks the child's group to end, and after a grace it is killed; the system sends that SIGTERM too
 * when the thread that started the keeper dies, which lives as long as the run. The keeper is a fork without an exec: it
 * calls only what is safe there, allocates nothing, and holds none of Assay's files, whose locks it would share. */
#include "spawn-private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FIRST_FREE 16 /* above what a child's own three files are */

static void
keeper_tell (gint news, SpawnNewsKind kind, gint value, gint stragglers)
{
  const SpawnNews message = { .kind = (gint32) kind, .value = value, .stragglers = stragglers };
  while (write (news, &message, sizeof message) < 0 && errno == EINTR)
    ;
}

static void
keeper_reset_signals (void)
{
  sigset_t none;
  for (gint i = 1; i < NSIG; i++)
    signal (i, SIG_DFL);
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
}

/* The child's side of the second fork; `failure` closes by itself when the program begins. */
G_NORETURN static void
child_main (const SpawnKeeper *self, gint failure)
{
  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  const gboolean grouped = self->group < 0 || write (self->group, "0", 1) == 1;
  if (grouped && dup2 (self->input, 0) == 0 && dup2 (self->output, 1) == 1 && dup2 (self->errors, 2) == 2
      && chdir (self->folder) == 0)
    {
      keeper_reset_signals ();
      close_range (3, ~0U, CLOSE_RANGE_CLOEXEC);
      execv (self->argv[0], self->argv);
    }
  const gint number = errno;
  const gssize ignored = write (failure, &number, sizeof number);
  _exit (ignored == sizeof number ? 127 : 126);
}

/* 0 once the program runs in the child, or why it does not. */
static gint
keeper_await_start (gint failure)
{
  gint number = 0;
  gssize n;
  do
    n = read (failure, &number, sizeof number);
  while (n < 0 && errno == EINTR);
  close (failure);
  return n == sizeof number ? number : 0;
}

static gint64
keeper_now_ms (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Everything but the news is let go. */
static gint
keeper_close_files (gint news)
{
  const gint null = open ("/dev/null", O_RDWR);
  for (gint i = 0; i < 3; i++)
    dup2 (null, i);
  dup2 (news, 3);
  close_range (4, ~0U, 0);
  return 3;
}

/* Until the child ends, or has had its grace. Returns whether it was reaped. */
static gboolean
keeper_watch (gint child, gint grace_ms, gint *status)
{
  sigset_t watched;
  sigemptyset (&watched);
  sigaddset (&watched, SIGCHLD);
  sigaddset (&watched, SIGTERM);
  gint64 deadline = 0;
  for (;;)
    {
      gint one;
      for (gint pid; (pid = waitpid (-1, &one, WNOHANG)) > 0;)
        if (pid == child)
          {
            *status = one;
            return TRUE;
          }
      const gint64 left = deadline > 0 ? deadline - keeper_now_ms () : 3600000;
      if (left <= 0)
        return FALSE;
      const struct timespec most = { left / 1000, left % 1000 * 1000000 };
      if (sigtimedwait (&watched, NULL, &most) == SIGTERM && deadline == 0)
        {
          deadline = keeper_now_ms () + grace_ms;
          kill (-child, SIGTERM);
        }
    }
}

/* Kills every child there is now; returns how many. */
static gint
keeper_kill_children (void)
{
  char text[4096];
  const gint file = open ("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  const gssize n = file >= 0 ? read (file, text, sizeof text - 1) : 0;
  gint killed = 0, pid = 0;
  if (file >= 0)
    close (file);
  for (gssize i = 0; i < n; i++)
    if (text[i] >= '0' && text[i] <= '9')
      pid = pid * 10 + (text[i] - '0');
    else if (pid > 0) /* a blank behind each; one that was cut off comes with the next round */
      {
        killed += kill (pid, SIGKILL) == 0;
        pid = 0;
      }
  return killed;
}

/* Whoever a killed process leaves becomes a child of the keeper's: round by round nobody is left. A round reaps one at
 * least; who is killed twice is counted once. */
static gint
keeper_clear (gint child, gboolean reaped, gint *status)
{
  gint stragglers = 0;
  if (!reaped)
    kill (-child, SIGKILL);
  for (;;)
    {
      gint one;
      keeper_kill_children ();
      const gint pid = waitpid (-1, &one, 0);
      if (pid < 0 && errno == ECHILD)
        return stragglers;
      if (pid == child && !reaped)
        *status = one;
      else if (pid > 0)
        stragglers += WIFSIGNALED (one) && WTERMSIG (one) == SIGKILL; /* not one that had ended unheard */
    }
}

void
spawn_keeper_main (const SpawnKeeper *given)
{
  SpawnKeeper self = *given;
  gint status = 0;
  setsid ();
  prctl (PR_SET_CHILD_SUBREAPER, 1);
  prctl (PR_SET_PDEATHSIG, SIGTERM);
  signal (SIGCHLD, SIG_DFL);
  signal (SIGTERM, SIG_DFL);
  const gint news = fcntl (given->news, F_DUPFD_CLOEXEC, FIRST_FREE);
  self.input = fcntl (given->input, F_DUPFD_CLOEXEC, FIRST_FREE);
  self.output = fcntl (given->output, F_DUPFD_CLOEXEC, FIRST_FREE);
  self.errors = fcntl (given->errors, F_DUPFD_CLOEXEC, FIRST_FREE);
  gint failure[2];
  if (getppid () != given->parent || pipe2 (failure, O_CLOEXEC) != 0) /* it died before it could be watched */
    _exit (0);
  const gint child = fork ();
  if (child == 0)
    child_main (&self, fcntl (failure[1], F_DUPFD_CLOEXEC, FIRST_FREE));
  close (failure[1]);
  const gint number = child < 0 ? errno : keeper_await_start (failure[0]);
  if (number != 0)
    {
      keeper_tell (news, SPAWN_NEWS_REFUSED, number, 0);
      waitpid (child, &status, 0);
      _exit (0);
    }
  setpgid (child, child);
  const gint kept = keeper_close_files (news);
  keeper_tell (kept, SPAWN_NEWS_STARTED, child, 0);
  const gboolean reaped = keeper_watch (child, given->grace_ms, &status);
  const gint stragglers = keeper_clear (child, reaped, &status);
  keeper_tell (kept, SPAWN_NEWS_ENDED, status, stragglers);
  _exit (0);
}
