"""Fault injection: kills, signals, damaged and hostile files, full disks, races, invalid options, long runs."""
