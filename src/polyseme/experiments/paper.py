"""Results reported by Neelakantan et al. (2014), quoted from the paper and not measured by us.

Their models were trained on 990 million tokens. Scores are Spearman x 100. On WordSim-353, `-G` and `-M` in the paper
are `global_sim` and `avg_sim` here.
"""

from __future__ import annotations

from collections.abc import Mapping

QuotedScores = Mapping[str, tuple[float | None, ...]]  # by model, in the order of MEASURES

MEASURES = ("global_sim", "avg_sim", "avg_sim_c", "local_sim")

# Table 1: training time in hours.
HOURS: dict[str, float] = {
    "Huang et al. 50d": 168,
    "Skip-gram 50d": 0.33,
    "Skip-gram 300d": 1.5,
    "MSSG 50d": 1.0,
    "MSSG 300d": 6.0,
    "NP-MSSG 50d": 1.83,
    "NP-MSSG 300d": 5.0,
}
TOKENS = 990_000_000

# Table 4: SCWS.
SCWS: QuotedScores = {
    "TF-IDF": (26.3, None, None, None),
    "C&W 50d": (57.0, None, None, None),
    "Skip-gram 50d": (63.4, None, None, None),
    "Skip-gram 300d": (65.2, None, None, None),
    "Pruned TF-IDF": (62.5, 60.4, 60.5, None),
    "Huang et al. 50d": (58.6, 62.8, 65.7, 26.1),
    "MSSG 50d": (62.1, 64.2, 66.9, 49.17),
    "MSSG 300d": (65.3, 67.2, 69.3, 57.26),
    "NP-MSSG 50d": (62.3, 64.0, 66.1, 50.27),
    "NP-MSSG 300d": (65.5, 67.3, 69.1, 59.80),
}

# Table 5: WordSim-353, as (global_sim, avg_sim).
WORDSIM: dict[str, tuple[float | None, float | None]] = {
    "HLBL": (33.2, None),
    "C&W": (55.3, None),
    "ESA": (75.0, None),
    "Tiered TF-IDF": (76.9, None),
    "Pruned TF-IDF": (73.4, None),
    "Skip-gram 300d": (70.4, None),
    "Huang et al. 50d": (22.8, 64.2),
    "MSSG 50d": (60.6, 63.2),
    "MSSG 300d": (69.2, 70.9),
    "NP-MSSG 50d": (61.5, 62.4),
    "NP-MSSG 300d": (69.1, 68.6),
}

# Table 6: SCWS with several senses for the 30,000 most frequent words. Its other scores are not entered yet.
SCWS_30K: QuotedScores = {"MSSG 300d": (None, None, 69.2, 59.3)}

# Models of the tables above that are not trained here.
NOT_TRAINED = ("C&W 50d", "C&W", "HLBL", "ESA", "Tiered TF-IDF")
