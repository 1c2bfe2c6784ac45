"""The paper's tables and figures with additional controls, as one command."""
