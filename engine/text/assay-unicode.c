/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine/text/assay-unicode.c: called once or twice a character; ASCII and then a binary search of some 3,600
 * starts are quick enough for a megabyte in a few hundredths of a second. */
#include "assay-unicode.h"

static const guint8 ascii_classes[128] = {
  ['\t' ... '\r'] = ASSAY_UNI_SPACE, [' '] = ASSAY_UNI_SPACE,         ['0' ... '9'] = ASSAY_UNI_NUMBER,
  ['A' ... 'Z'] = ASSAY_UNI_UPPER,   ['a' ... 'z'] = ASSAY_UNI_LOWER, ['!' ... '#'] = ASSAY_UNI_PUNCT,
  ['%' ... '*'] = ASSAY_UNI_PUNCT,   [',' ... '/'] = ASSAY_UNI_PUNCT, [':'] = ASSAY_UNI_PUNCT,
  [';'] = ASSAY_UNI_PUNCT,           ['?'] = ASSAY_UNI_PUNCT,         ['@'] = ASSAY_UNI_PUNCT,
  ['[' ... ']'] = ASSAY_UNI_PUNCT,   ['_'] = ASSAY_UNI_PUNCT,         ['{'] = ASSAY_UNI_PUNCT,
  ['}'] = ASSAY_UNI_PUNCT,           ['$'] = ASSAY_UNI_SYMBOL,        ['+'] = ASSAY_UNI_SYMBOL,
  ['<' ... '>'] = ASSAY_UNI_SYMBOL,  ['^'] = ASSAY_UNI_SYMBOL,        ['`'] = ASSAY_UNI_SYMBOL,
  ['|'] = ASSAY_UNI_SYMBOL,          ['~'] = ASSAY_UNI_SYMBOL,
};

AssayUniClass
assay_unicode_class (gunichar c)
{
  if (c < 128)
    return (AssayUniClass) ascii_classes[c];
  if (c > 0x10FFFF)
    return ASSAY_UNI_OTHER;

  guint low = 0, high = assay_unicode_n_starts; /* starts[low] <= c < starts[high] */
  while (high - low > 1)
    {
      const guint middle = low + (high - low) / 2;
      if (assay_unicode_starts[middle] >> 4 <= c)
        low = middle;
      else
        high = middle;
    }
  return (AssayUniClass) (assay_unicode_starts[low] & 15);
}

guint
assay_unicode_next (const char *p, const char *end, gunichar *c)
{
  const guint8 *b = (const guint8 *) p;
  if (b[0] < 0x80)
    {
      *c = b[0];
      return 1;
    }

  *c = ASSAY_UNI_INVALID;
  const guint length = b[0] >= 0xF0 ? 4 : b[0] >= 0xE0 ? 3 : 2;
  static const gunichar least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  if (b[0] < 0xC2 || b[0] > 0xF4 || end - p < length)
    return 1;
  gunichar value = b[0] & (0x7F >> length);
  for (guint i = 1; i < length; i++)
    {
      if ((b[i] & 0xC0) != 0x80)
        return 1;
      value = value << 6 | (b[i] & 0x3F);
    }
  if (value < least[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
    return 1;
  *c = value;
  return length;
}
