"""`python -m polyseme`"""

from polyseme.cli.app import main

main()
