"""Evaluation of sense vectors; each score comes with a control and a confidence interval."""
