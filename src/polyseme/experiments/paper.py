"""Results of Neelakantan et al. (2014), quoted from the paper and not measured by us.

`tests/experiments/test_paper.py` compares all numbers and words with the paper's LaTeX source. Models are named as in
the paper, except that "50d" and "300d" always follow a blank. The paper's figures have no numbers to quote.
"""

from __future__ import annotations

from collections.abc import Mapping

Quoted = float | None
QuotedScores = Mapping[str, tuple[Quoted, ...]]  # by model, in the order of a tuple of measures


def as_quoted(number: Quoted) -> str | None:
    """A number with the paper's precision, two decimal places at most.

    >>> as_quoted(69.3), as_quoted(60.11), as_quoted(67), as_quoted(None)
    ('69.3', '60.11', '67.0', None)
    """
    return None if number is None else f"{number:.1f}" if round(number, 1) == number else f"{number:.2f}"


SCWS_MEASURES = ("global_sim", "avg_sim", "avg_sim_c", "local_sim")
WORDSIM_MEASURES = ("global_sim", "avg_sim")  # G and M in the paper

# Section 6: the corpus.
SNAPSHOT = "English Wikipedia, April 2010, about 2 million articles"
TOKENS = 990_000_000
VOCABULARY = 100_000  # of Huang et al., whose vocabulary the paper uses
MULTI_SENSE_WORDS = 6_000  # approximately: the list of Huang et al.
MULTI_SENSE_WORDS_TABLE_6 = 30_000

# Table 1: training time in hours.
HOURS: dict[str, float] = {
    "Huang et al": 168,
    "MSSG 50d": 1,
    "MSSG 300d": 6,
    "NP-MSSG 50d": 1.83,
    "NP-MSSG 300d": 5,
    "Skip-gram 50d": 0.33,
    "Skip-gram 300d": 1.5,
}

# Table 4: SCWS, Spearman x 100.
SCWS: QuotedScores = {
    "TF-IDF": (26.3, None, None, None),
    "Collobort & Weston 50d": (57.0, None, None, None),
    "Skip-gram 50d": (63.4, None, None, None),
    "Skip-gram 300d": (65.2, None, None, None),
    "Pruned TF-IDF": (62.5, 60.4, 60.5, None),
    "Huang et al 50d": (58.6, 62.8, 65.7, 26.1),
    "MSSG 50d": (62.1, 64.2, 66.9, 49.17),
    "MSSG 300d": (65.3, 67.2, 69.3, 57.26),
    "NP-MSSG 50d": (62.3, 64.0, 66.1, 50.27),
    "NP-MSSG 300d": (65.5, 67.3, 69.1, 59.80),
}

# Table 5: WordSim-353, Spearman x 100.
WORDSIM: QuotedScores = {
    "HLBL": (33.2, None),
    "C&W": (55.3, None),
    "Skip-gram 300d": (70.4, None),
    "Huang et al": (22.8, 64.2),
    "MSSG 50d": (60.6, 63.2),
    "MSSG 300d": (69.2, 70.9),
    "NP-MSSG 50d": (61.5, 62.4),
    "NP-MSSG 300d": (69.1, 68.6),
    "Pruned TF-IDF": (73.4, None),
    "ESA": (75, None),
    "Tiered TF-IDF": (76.9, None),
}

# Table 6: several senses for the 30,000 most frequent words, 300 dimensions.
WORDSIM_30K: QuotedScores = {
    "Skip-gram 300d": (70.4, None),
    "MSSG 300d": (68.4, 71.2),
    "NP-MSSG 300d": (68.3, 69.66),
}
SCWS_30K: QuotedScores = {
    "MSSG 300d": (64.7, 67.2, 69.2, 59.3),
    "NP-MSSG 300d": (65.3, 67, 68.6, 60.11),
}

# Section 6.2: accuracy on word analogies in percent; the dimension is not given.
ANALOGIES: dict[str, int] = {"MSSG": 64, "NP-MSSG": 64, "Huang et al": 12, "Skip-gram": 67}

# Tables 2 and 3: nearest neighbours, a row of words for each sense.
NEIGHBOURS: dict[str, dict[str, tuple[str, ...]]] = {
    "apple": {
        "Skip-gram": ("blackberry, macintosh, acorn, pear, plum",),
        "MSSG": (
            "pear, honey, pumpkin, potato, nut",
            "microsoft, activision, sony, retail, gamestop",
            "macintosh, pc, ibm, iigs, chipsets",
        ),
        "NP-MSSG": (
            "apricot, blackberry, cabbage, blackberries, pear",
            "microsoft, ibm, wordperfect, amiga, trs-80",
        ),
    },
    "fox": {
        "Skip-gram": ("abc, nbc, soapnet, espn, kttv",),
        "MSSG": (
            "beaver, wolf, moose, otter, swan",
            "nbc, espn, cbs, ctv, pbs",
            "dexter, myers, sawyer, kelly, griffith",
        ),
        "NP-MSSG": ("rabbit, squirrel, wolf, badger, stoat", "cbs, abc, nbc, wnyw, abc-tv"),
    },
    "net": {
        "Skip-gram": ("profit, dividends, pegged, profits, nets",),
        "MSSG": (
            "snap, sideline, ball, game-trying, scoring",
            "negative, offset, constant, hence, potential",
            "pre-tax, billion, revenue, annualized, us$",
        ),
        "NP-MSSG": (
            "negative, total, transfer, minimizes, loop",
            "pre-tax, taxable, per, billion, us$, income",
            "ball, yard, fouled, bounced, 50-yard",
            "wnet, tvontorio, cable, tv, tv-5",
        ),
    },
    "rock": {
        "Skip-gram": ("glam, indie, punk, band, pop",),
        "MSSG": (
            "rocks, basalt, boulders, sand, quartzite",
            "alternative, progressive, roll, indie, blues-rock",
            "rocks, pine, rocky, butte, deer",
        ),
        "NP-MSSG": (
            "granite, basalt, outcropping, rocks, quartzite",
            "alternative, indie, pop/rock, rock/metal, blues-rock",
        ),
    },
    "run": {
        "Skip-gram": ("running, ran, runs, afoul, amok",),
        "MSSG": (
            "running, stretch, ran, pinch-hit, runs",
            "operated, running, runs, operate, managed",
            "running, runs, operate, drivers, configure",
        ),
        "NP-MSSG": (
            "two-run, walk-off, runs, three-runs, starts",
            "operated, runs, serviced, links, walk",
            "running, operating, ran, go, configure",
            "re-election, reelection, re-elect, unseat, term-limited",
            "helmed, longest-running, mtv, promoted, produced",
        ),
    },
    "plant": {
        "Skip-gram": ("plants, flowering, weed, fungus, biomass",),
        "MSSG": (
            "plants, tubers, soil, seed, biomass",
            "refinery, reactor, coal-fired, factory, smelter",
            "asteraceae, fabaceae, arecaceae, lamiaceae, ericaceae",
        ),
        "NP-MSSG": (
            "plants, seeds, pollen, fungal, fungus",
            "factory, manufacturing, refinery, bottling, steel",
            "fabaceae, legume, asteraceae, apiaceae, flowering",
            "power, coal-fired, hydro-power, hydroelectric, refinery",
        ),
        "Huang et al": (
            "insect, capable, food, solanaceous, subsurface",
            "robust, belong, pitcher, comprises, eagles",
            "food, animal, catching, catch, ecology, fly",
            "seafood, equipment, oil, dairy, manufacturer",
            "facility, expansion, corporation, camp, co.",
            "treatment, skin, mechanism, sugar, drug",
            "facility, theater, platform, structure, storage",
            "natural, blast, energy, hurl, power",
            "matter, physical, certain, expression, agents",
            "vine, mute, chalcedony, quandong, excrete",
        ),
    },
}
