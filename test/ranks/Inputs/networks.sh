#!/bin/sh
# Runs a program on two ranks in network namespaces of their own, with a slow
# and lossy link between them. Says why, and nothing else, where that cannot be.
#
# Usage: networks.sh FOLDER PROGRAM [arguments]
Folder=$1
shift
Inputs=$(dirname "$0")
A=gridspan-a-$$ B=gridspan-b-$$
Near=gsa$$ Far=gsb$$
Wire=

skip() {
  echo "skipped: $*"
  exit 0
}

remove() {
  [ -z "$Wire" ] || kill "$Wire"
  wait
  cat "$Folder/wire"
  ip netns del "$A" 2>/dev/null
  ip netns del "$B" 2>/dev/null
}

[ "$(id -u)" = 0 ] || skip "only root makes namespaces"
[ -c /dev/net/tun ] || skip "there is no /dev/net/tun"
for Tool in ip unshare; do
  command -v "$Tool" >/dev/null 2>&1 || skip "there is no $Tool"
done
: >"$Folder/wire"
trap remove EXIT
{ ip netns add "$A" && ip netns add "$B"; } 2>/dev/null || skip "ip netns add fails"
python3 "$Inputs/wire.py" "$Near" "$Far" 1 2 >"$Folder/wire" 2>&1 &
Wire=$!
while ! grep -q . "$Folder/wire"; do sleep 0.1; done
grep -q ready "$Folder/wire" || skip "no devices: $(cat "$Folder/wire")"
Number=1
for Name in "$A" "$B"; do
  [ "$Number" = 1 ] && Device=$Near || Device=$Far
  ip link set "$Device" netns "$Name" 2>/dev/null || skip "devices stay where they are"
  ip -n "$Name" addr add "10.213.77.$Number/24" dev "$Device"
  ip -n "$Name" link set lo up
  ip -n "$Name" link set "$Device" up
  Number=$((Number + 1))
done

# Launchers ask for a shell on another machine by running AGENT [-x] HOST COMMAND.
cat >"$Folder/agent" <<END
#!/bin/sh
[ "\$1" != -x ] || shift
shift
exec ip netns exec $B unshare --uts sh -c "hostname b; \$*"
END
chmod +x "$Folder/agent"
case $("${MPIRUN:-mpirun}" --version 2>&1) in
*"Open MPI"*)
  set -- -H 10.213.77.1:1,10.213.77.2:1 --mca plm_rsh_agent "$Folder/agent" \
    --mca btl tcp,self --mca pml ob1 "$@"
  ;;
*)
  # Memory is shared whatever the network says.
  export UCX_TLS=tcp,self
  set -- -hosts 10.213.77.1:1,10.213.77.2:1 -launcher ssh -launcher-exec "$Folder/agent" "$@"
  ;;
esac
# The name of the machine tells ranks that they share no memory.
ip netns exec "$A" unshare --uts sh -c 'hostname a; exec "$@"' sh \
  gridspan-run -n 2 "$@"
