"""`python -m windtunnel` is the command line."""

from windtunnel.cli.program import main

if __name__ == "__main__":
    main()
