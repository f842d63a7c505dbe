# Arguments: the interface towards the machine.
set -e
# In containers /proc/sys may be read-only.
mount -t proc proc /proc
echo 1 > /proc/sys/net/ipv4/ip_forward
[ ! -e /proc/sys/net/ipv6 ] || echo 1 > /proc/sys/net/ipv6/conf/all/forwarding
# What comes by an interface may have any address.
for filters in /proc/sys/net/ipv4/conf/*/rp_filter; do echo 0 > "$filters"; done
nft "table inet windtunnel {
    chain translate {
        type nat hook postrouting priority srcnat
        oifname $1 masquerade
    }
}"
