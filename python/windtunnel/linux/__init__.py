"""The Linux kernel as a host: builds it for User-Mode Linux, and keeps what was built.

`agent.c` is the program in it that Windtunnel talks with, and `kernel.config` what it is built
with. Runs find a kernel by its name: in the folder that `kernels.py` gives.
"""
