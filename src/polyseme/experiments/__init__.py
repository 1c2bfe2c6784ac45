"""The paper's tables and figures, and the controls it lacked, as one command."""
