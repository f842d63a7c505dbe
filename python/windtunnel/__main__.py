"""`python -m windtunnel` is the command line."""

from windtunnel.cli.commands import main

if __name__ == "__main__":
    main()
