/* SPDX-License-Identifier: GPL-3.0-or-later */
/* kernels/cpu/attention-tile.c: attention of many queries, as products of panels.
 *
 * A chunk is a tile of queries by the heads that share a key head: a block of keys and values is unpacked
 * once and met by all of them. Borders of tiles depend on the number of queries alone. */
#include "cpu.h"

#include <math.h>
#include <string.h>

#define TILE_QUERIES 64u
#define TILE_KEYS 64u       /* a multiple of every panel width */
#define TILE_HEADS 4u       /* at most, or the tile leaves the cache */
#define TILE_MIN_QUERIES 4u

typedef struct
{
  const CpuIsa *isa;
  const AssayAttention *a;
  float *y;
  const float *q;
  uint8_t *scratch;
  size_t scratch_bytes, n_tiles;
  size_t parts;             /* of the heads that share a key head */
} TileJob;

/* One worker's scratch and what it is about. */
typedef struct
{
  const CpuIsa *isa;
  const AssayAttention *a;
  size_t first_query, n_queries, first_head, n_heads, kv_head, width_v;
  float *k_panel;           /* [TILE_KEYS / width] panels of [head_dim, width] */
  float *v_panel;           /* [width_v / width] panels of [TILE_KEYS, width] */
  float *rows;              /* [8, head_dim], or one of head_dim_v */
  float *scores;            /* [n_heads, TILE_QUERIES, TILE_KEYS] */
  float *sums;              /* [n_heads, TILE_QUERIES, width_v] */
  float *max, *weight;      /* [n_heads, TILE_QUERIES] */
} Tile;

static size_t
tile_heads (const AssayAttention *a)
{
  return cpu_min (a->n_heads / a->n_kv_heads, TILE_HEADS);
}

bool
cpu_attention_tile_is_used (const CpuIsa *isa, const AssayAttention *a)
{
  return isa->gemm != NULL && a->n_tokens >= TILE_MIN_QUERIES && a->n_kv_heads > 0
         && a->n_heads >= a->n_kv_heads;
}

static size_t
tile_rows_floats (const AssayAttention *a)
{
  return 8 * (size_t) a->head_dim > a->head_dim_v ? 8 * (size_t) a->head_dim : a->head_dim_v;
}

/* Lays the scratch out, as counted by cpu_attention_tile_bytes(). */
static void
tile_place (Tile *tile, float *at)
{
  const size_t rows = tile_heads (tile->a) * TILE_QUERIES;
  tile->width_v = cpu_round_up (tile->a->head_dim_v, tile->isa->panel_width);
  tile->k_panel = at;
  at += TILE_KEYS * tile->a->head_dim;
  tile->v_panel = at;
  at += TILE_KEYS * tile->width_v;
  tile->rows = at;
  at += tile_rows_floats (tile->a);
  tile->scores = at;
  at += rows * TILE_KEYS;
  tile->sums = at;
  at += rows * tile->width_v;
  tile->max = at;
  at += rows;
  tile->weight = at;
}

size_t
cpu_attention_tile_bytes (const CpuIsa *isa, const AssayAttention *a)
{
  const size_t rows = tile_heads (a) * TILE_QUERIES, width_v = cpu_round_up (a->head_dim_v, isa->panel_width);
  return cpu_round_up (
    (TILE_KEYS * (a->head_dim + width_v) + tile_rows_floats (a) + rows * (TILE_KEYS + width_v + 2))
      * sizeof (float),
    64);
}

static void
tile_pack_keys (const Tile *tile, size_t first, size_t n)
{
  const size_t dim = tile->a->head_dim, width = tile->isa->panel_width;
  for (size_t lane = 0; lane < TILE_KEYS; lane += 8)
    {
      for (size_t r = 0; r < 8; r++)
        if (lane + r < n)
          cpu_read_row (tile->isa, tile->rows + r * dim, tile->a->k->dtype,
                        cpu_attention_row (tile->a->k, first + lane + r, tile->kv_head, dim), dim);
        else
          memset (tile->rows + r * dim, 0, dim * sizeof (float));
      tile->isa->turn (tile->k_panel + lane / width * width * dim + lane % width, tile->rows, dim, dim);
    }
}

static void
tile_pack_values (const Tile *tile, size_t first, size_t n)
{
  const size_t dim = tile->a->head_dim_v, width = tile->isa->panel_width;
  for (size_t key = 0; key < n; key++)
    {
      cpu_read_row (tile->isa, tile->rows, tile->a->v->dtype,
                    cpu_attention_row (tile->a->v, first + key, tile->kv_head, dim), dim);
      for (size_t from = 0; from < dim; from += width)
        {
          float *to = tile->v_panel + from * TILE_KEYS + key * width;
          const size_t part = cpu_min (dim - from, width);
          memcpy (to, tile->rows + from, part * sizeof *to);
          if (part < width)
            memset (to + part, 0, (width - part) * sizeof *to);
        }
    }
}

/* Scores of one query against a block of keys become weights; what was summed before shrinks to the new
 * maximum. */
static void
tile_weigh (const Tile *tile, size_t row, size_t query, size_t first, size_t n)
{
  float *scores = tile->scores + row * TILE_KEYS, *sums = tile->sums + row * tile->width_v;
  size_t from, to;
  cpu_attention_range (tile->a, query, &from, &to);
  const size_t begin = from > first ? cpu_min (from - first, n) : 0;
  const size_t end = to > first ? cpu_min (to - first, n) : 0;
  if (begin >= end)
    {
      memset (scores, 0, n * sizeof *scores);
      return;
    }
  const float max = tile->isa->score (scores + begin, end - begin, tile->a->scale, tile->a->soft_cap);
  if (max > tile->max[row])
    {
      const float shrink = expf (tile->max[row] - max);
      for (size_t i = 0; i < tile->width_v; i++)
        sums[i] *= shrink;
      tile->weight[row] *= shrink;
      tile->max[row] = max;
    }
  memset (scores, 0, begin * sizeof *scores);
  memset (scores + end, 0, (n - end) * sizeof *scores);
  tile->weight[row] += tile->isa->exp_sum (scores + begin, end - begin, tile->max[row]);
}

static void
tile_block (const Tile *tile, const float *q, size_t first, size_t n)
{
  const AssayAttention *a = tile->a;
  const size_t width = tile->isa->panel_width;
  tile_pack_keys (tile, first, n);
  tile_pack_values (tile, first, n);
  for (size_t h = 0; h < tile->n_heads; h++)
    {
      const float *queries = q + (tile->first_query * a->n_heads + tile->first_head + h) * a->head_dim;
      float *scores = tile->scores + h * TILE_QUERIES * TILE_KEYS,
            *sums = tile->sums + h * TILE_QUERIES * tile->width_v;
      for (size_t key = 0; key < n; key += width)
        tile->isa->gemm (scores + key, TILE_KEYS, queries, (size_t) a->n_heads * a->head_dim,
                         tile->k_panel + key * a->head_dim, tile->n_queries, a->head_dim, false);
      for (size_t i = 0; i < tile->n_queries; i++)
        tile_weigh (tile, h * TILE_QUERIES + i, tile->first_query + i, first, n);
      for (size_t from = 0; from < tile->width_v; from += width)
        tile->isa->gemm (sums + from, tile->width_v, scores, TILE_KEYS, tile->v_panel + from * TILE_KEYS,
                         tile->n_queries, n, true);
    }
}

static void
tile_finish (const Tile *tile, float *y)
{
  const AssayAttention *a = tile->a;
  for (size_t h = 0; h < tile->n_heads; h++)
    for (size_t i = 0; i < tile->n_queries; i++)
      {
        const size_t row = h * TILE_QUERIES + i;
        float *to = y + ((tile->first_query + i) * a->n_heads + tile->first_head + h) * a->head_dim_v;
        for (size_t d = 0; d < a->head_dim_v; d++)
          to[d] = tile->sums[row * tile->width_v + d] / tile->weight[row];
      }
}

static void
tile_run (Tile *tile, float *y, const float *q)
{
  size_t from, to, end;
  cpu_attention_range (tile->a, tile->first_query, &from, &to);
  cpu_attention_range (tile->a, tile->first_query + tile->n_queries - 1, &to, &end);
  for (size_t i = 0; i < tile->n_heads * TILE_QUERIES; i++)
    tile->max[i] = -INFINITY;
  memset (tile->weight, 0, tile->n_heads * TILE_QUERIES * sizeof (float));
  memset (tile->sums, 0, tile->n_heads * TILE_QUERIES * tile->width_v * sizeof (float));
  for (size_t n; from < end; from += n)
    {
      n = cpu_min (end - from, TILE_KEYS);
      tile_block (tile, q, from, n);
    }
  tile_finish (tile, y);
}

/* Chunks run from the last queries to the first: those see the most keys, and the longest should not come
 * last. */
static void
tile_chunk (void *data, uint32_t chunk, uint32_t worker)
{
  const TileJob *job = data;
  const AssayAttention *a = job->a;
  const size_t group = a->n_heads / a->n_kv_heads, heads = chunk % (a->n_kv_heads * job->parts);
  const size_t part = heads % job->parts * tile_heads (a);
  Tile tile = { .isa = job->isa, .a = a, .kv_head = heads / job->parts };
  tile.first_query = (job->n_tiles - 1 - chunk / (a->n_kv_heads * job->parts)) * TILE_QUERIES;
  tile.n_queries = cpu_min (a->n_tokens - tile.first_query, TILE_QUERIES);
  tile.first_head = tile.kv_head * group + part;
  tile.n_heads = cpu_min (group - part, tile_heads (a));
  tile_place (&tile, (float *) (job->scratch + worker * job->scratch_bytes));
  tile_run (&tile, job->y, job->q);
}

void
cpu_attention_tile (CpuBackend *self, float *y, const float *q, const AssayAttention *a, void *workspace)
{
  TileJob job = { .isa = self->isa, .a = a, .y = y, .q = q, .scratch = workspace };
  job.scratch_bytes = cpu_attention_tile_bytes (self->isa, a);
  job.n_tiles = (a->n_tokens + TILE_QUERIES - 1) / TILE_QUERIES;
  job.parts = (a->n_heads / a->n_kv_heads + tile_heads (a) - 1) / tile_heads (a);
  cpu_pool_run (self->pool, tile_chunk, &job, (uint32_t) (job.n_tiles * a->n_kv_heads * job.parts));
}
