/* SPDX-License-Identifier: MIT */
/* Decimal digits of a double by 128-bit integers: y 10^q, of which the whole
 * part has the digits wanted, as y's 64 bits times 128 bits of 10^q. The powers
 * come from a table in steps of 27 and exact powers of 5 between them.
 *
 * Error bound: an entry of the table is cut off (it lacks less than 1 in its
 * last place), so is its product with 5^j, which may be doubled then (less than
 * 4), and the product of that with y's bits (less than 5 in the last place of
 * the result). Where the rounding depends on so little, or the number is
 * exactly between two, nothing is said. */
#include "base/digits.h"

#include <assert.h>
#include <math.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

enum { STEP = 27, FIRST = -12 };
#define UNSURE 16 /* last places: more than the error */

/* 10^(27 i), i from FIRST on: the first 128 bits */
static const struct {
    uint64_t hi, lo;
} power[] = {
    {UINT64_C(0xcf42894a5dce35ea), UINT64_C(0x52064cac828675b9)}, /* -324 */
    {UINT64_C(0xa76c582338ed2621), UINT64_C(0xaf2af2b80af6f24e)}, /* -297 */
    {UINT64_C(0x873e4f75e2224e68), UINT64_C(0x5a7744a6e804a291)}, /* -270 */
    {UINT64_C(0xda7f5bf590966848), UINT64_C(0xaf39a475506a899e)}, /* -243 */
    {UINT64_C(0xb080392cc4349dec), UINT64_C(0xbd8d794d96aacfb3)}, /* -216 */
    {UINT64_C(0x8e938662882af53e), UINT64_C(0x547eb47b7282ee9c)}, /* -189 */
    {UINT64_C(0xe65829b3046b0afa), UINT64_C(0x0cb4a5a3112a5112)}, /* -162 */
    {UINT64_C(0xba121a4650e4ddeb), UINT64_C(0x92f34d62616ce413)}, /* -135 */
    {UINT64_C(0x964e858c91ba2655), UINT64_C(0x3a6a07f8d510f86f)}, /* -108 */
    {UINT64_C(0xf2d56790ab41c2a2), UINT64_C(0xfae27299423fb9c3)}, /* -81 */
    {UINT64_C(0xc428d05aa4751e4c), UINT64_C(0xaa97e14c3c26b886)}, /* -54 */
    {UINT64_C(0x9e74d1b791e07e48), UINT64_C(0x775ea264cf55347d)}, /* -27 */
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000)}, /* 0 */
    {UINT64_C(0xcecb8f27f4200f3a), UINT64_C(0x0000000000000000)}, /* 27 */
    {UINT64_C(0xa70c3c40a64e6c51), UINT64_C(0x999090b65f67d924)}, /* 54 */
    {UINT64_C(0x86f0ac99b4e8dafd), UINT64_C(0x69a028bb3ded71a3)}, /* 81 */
    {UINT64_C(0xda01ee641a708de9), UINT64_C(0xe80e6f4820cc9495)}, /* 108 */
    {UINT64_C(0xb01ae745b101e9e4), UINT64_C(0x5ec05dcff72e7f8f)}, /* 135 */
    {UINT64_C(0x8e41ade9fbebc27d), UINT64_C(0x14588f13be847307)}, /* 162 */
    {UINT64_C(0xe5d3ef282a242e81), UINT64_C(0x8f1668c8a86da5fa)}, /* 189 */
    {UINT64_C(0xb9a74a0637ce2ee1), UINT64_C(0x6d953e2bd7173692)}, /* 216 */
    {UINT64_C(0x95f83d0a1fb69cd9), UINT64_C(0x4abdaf101564f98e)}, /* 243 */
    {UINT64_C(0xf24a01a73cf2dccf), UINT64_C(0xbc633b39673c8cec)}, /* 270 */
    {UINT64_C(0xc3b8358109e84f07), UINT64_C(0x0a862f80ec4700c8)}, /* 297 */
    {UINT64_C(0x9e19db92b4e31ba9), UINT64_C(0x6c07a2c26a8346d1)}, /* 324 */
};

static const uint64_t five[] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
};

/* n <= 17 */
static uint64_t
ten(int n)
{
    return five[n] << n;
}

/* floor of log2(10^q), |q| < 400 */
static int
log2_of_power(int q)
{
    return (q * 217706) >> 16;
}

/* the first 128 bits of x * c */
static wide
times(wide x, uint64_t c)
{
    return (x >> 64) * c + ((wide)(uint64_t)x * c >> 64);
}

/* 10^q = result * 2^(log2_of_power(q) - 127) */
static wide
power_of_ten(int q)
{
    int i = q >= 0 ? q / STEP : -((STEP - 1 - q) / STEP), j = q - STEP * i;
    wide x = (wide)power[i - FIRST].hi << 64 | power[i - FIRST].lo;
    if (!j)
        return x;
    x = times(x, five[j] << __builtin_clzll(five[j]));
    return x >> 127 ? x : x << 1;
}

/* The whole number next to y 10^q, where y = m 2^e and m has 64 bits. False if
 * the rounding is not certain. */
static bool
scale(uint64_t m, int e, int q, uint64_t *to)
{
    wide x = times(power_of_ten(q), m);
    int s = -(e + log2_of_power(q) - 127 + 64); /* bits behind the point */
    if (s < 64 || s > 127)
        return false;
    wide rest = x & (((wide)1 << s) - 1), half = (wide)1 << (s - 1);
    *to = (uint64_t)(x >> s) + (rest > half);
    return rest > half ? rest - half > UNSURE : half - rest > UNSURE;
}

bool
digits_of(double y, int count, char *digits, int *exponent)
{
    assert(y > 0 && isfinite(y) && exponent);
    int e;
    uint64_t m = (uint64_t)ldexp(frexp(y, &e), 53) << 11, rest;
    e -= 64;
    /* y lies in [2^(e + 63), 2^(e + 64)): this is its exponent or one less */
    int k = ((e + 63) * 78913) >> 18;
    if (!scale(m, e, count - 1 - k, &rest))
        return false;
    if (rest >= ten(count)) {
        k++;
        if (!scale(m, e, count - 1 - k, &rest))
            return false;
    }
    *exponent = k;
    for (int i = count; i-- > 0; rest /= 10)
        digits[i] = (char)('0' + rest % 10);
    return true;
}
#else
bool
digits_of(double y, int n, char *d, int *exponent)
{
    assert(y > 0 && isfinite(y) && exponent);
    (void)y;
    (void)n;
    (void)d;
    (void)exponent;
    return false;
}
#endif
