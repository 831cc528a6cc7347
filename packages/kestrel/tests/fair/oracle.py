"""Makes oracle.json: Black-Scholes on the forward at rate 0 to 60 digits, with mpmath 1.3.0: python3 oracle.py

Prices, greeks and implied volatilities are rounded to doubles at the very end, so that each is right to its last bit. The
volatility is implied by the price after that rounding, since that is the number a program is given.
"""

import json
from pathlib import Path

from mpmath import erfc, exp, findroot, log, mp, mpf, pi, sqrt

mp.dps = 60
HERE = Path(__file__).parent

MINUTE = 1 / (365 * 24 * 60)
DAY = 1 / 365
STRIKES = [0.4, 0.7, 0.9, 0.97, 0.995, 1, 1.001, 1.02, 1.1, 1.35, 2.5]
TIMES = [MINUTE, 6.5 * 60 * MINUTE, 5 * DAY, 45 * DAY, 1.0, 2.75]
SIGMAS = [0.05, 0.2, 0.65, 1.8]
FORWARDS = [65_537, 1_600_025, 51_500_000]


def cdf(z):
    return erfc(-z / sqrt(mpf(2))) / 2


def density(z):
    return exp(-z * z / 2) / sqrt(2 * pi)


def out_of_the_money(f, k, v):
    d1 = log(f / k) / v + v / 2
    d2 = d1 - v
    return f * cdf(d1) - k * cdf(d2) if k >= f else k * cdf(-d2) - f * cdf(-d1)


def case(f_e4, k_e4, sigma, t):
    f, k, s, years = mpf(f_e4), mpf(k_e4), mpf(sigma), mpf(t)
    v = s * sqrt(years)
    d1 = log(f / k) / v + v / 2
    value = out_of_the_money(f, k, v)
    call = value + max(f - k, 0)
    put = value + max(k - f, 0)
    row = {
        "fE4": f_e4,
        "kE4": k_e4,
        "sigma": sigma,
        "tYears": t,
        "volYears": float(v),
        "call": float(call),
        "put": float(put),
        "deltaCall": float(cdf(d1)),
        "deltaPut": float(-cdf(-d1)),
        "gamma": float(density(d1) / (f / 10_000 * v)),
        "vega": float(f * density(d1) * sqrt(years) / 100),
        "thetaDay": float(-f * density(d1) * s / (2 * sqrt(years)) / 365),
    }
    # What lies in the money has too few digits of time value left to imply anything from.
    price = float(put if k_e4 < f_e4 else call)
    row["implied"] = None
    if price > 1e-3:
        root = findroot(lambda w: log(out_of_the_money(f, k, w) / mpf(price)), (v, v * mpf("1.0000001")))
        row["implied"] = float(root / sqrt(years))
    return row


rows = []
for i, f in enumerate(FORWARDS):
    for j, part in enumerate(STRIKES):
        for m, t in enumerate(TIMES):
            for n, sigma in enumerate(SIGMAS):
                if (i + j + 2 * m + 3 * n) % 4 == 0:
                    rows.append(case(f, round(f * part), sigma, t))
fields = list(rows[0])
table = [[row.get(field) for field in fields] for row in rows]
(HERE / "oracle.json").write_text(json.dumps({"fields": fields, "rows": table}) + "\n")
print(len(rows), "cases; lay them out with npx biome format --write")
