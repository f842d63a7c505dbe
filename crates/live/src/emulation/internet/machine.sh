# Arguments: the interface to the emulation, its peer's addresses of IPv4 and IPv6, and the
# interfaces to the Internet for each, or nothing. Prints `ready`, or what is wrong, and undoes all
# when its standard input ends.
set -e
exec 3>&2 2>&1
inside=$1 v4=$2 v6=$3 out4=$4 out6=$5
trap '' HUP INT PIPE TERM
undo=
trap 'set +e; eval "$undo"' EXIT
# In containers /proc/sys may be read-only.
mount -t proc proc /proc

put() {
    old=$(cat "$1")
    [ "$old" = "$2" ] || { echo "$2" > "$1"; undo="echo $old > $1; $undo"; }
}

# A machine that did not forward before forwards nothing else now.
others=
forwards4=/proc/sys/net/ipv4/conf/$out4/forwarding
forwards6=/proc/sys/net/ipv6/conf/all/forwarding
[ -z "$out4" ] || [ "$(cat "$forwards4")" = 1 ] || others="iifname $out4 meta nfproto ipv4 drop;"
[ -z "$out6" ] || [ "$(cat $forwards6)" = 1 ] || others="$others meta nfproto ipv6 drop;"
nft "create table inet windtunnel; table inet windtunnel {
    chain translate {
        type nat hook postrouting priority srcnat
        ip saddr $v4 masquerade
        ip6 saddr $v6 masquerade
    }
    chain forward {
        type filter hook forward priority filter
        oifname $inside ct state established,related accept
        oifname $inside drop
        iifname $inside accept
        $others
    }
}"
undo="nft delete table inet windtunnel"

if [ -n "$out4" ]; then
    echo 1 > "/proc/sys/net/ipv4/conf/$inside/forwarding"
    put "$forwards4" 1
fi
if [ -n "$out6" ] && [ "$(cat $forwards6)" != 1 ]; then
    echo 0 > "/proc/sys/net/ipv6/conf/$inside/accept_ra"
    # A host that becomes a router forgets what routers advertised, except where this is 2.
    for accepts in /proc/sys/net/ipv6/conf/*/accept_ra; do
        [ "$(cat "$accepts")" != 1 ] || put "$accepts" 2
    done
    put $forwards6 1
fi
echo ready
exec > /dev/null 2>&3 3>&-
cat
