"""The campaign of faults: kills, signals, damaged and hostile files, full disks, races, absurd options, long runs."""
