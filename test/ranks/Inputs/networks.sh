#!/bin/sh
# Runs a program on two ranks in network namespaces of their own, with a slow
# and lossy link between them. Says why, and nothing else, where that cannot be,
# and what the link lacks.
#
# Usage: networks.sh FOLDER PROGRAM [arguments]
Folder=$1
shift
A=gridspan-a-$$ B=gridspan-b-$$

skip() {
  echo "skipped: $*"
  exit 0
}

remove() {
  ip netns del "$A" 2>/dev/null
  ip netns del "$B" 2>/dev/null
}

[ "$(id -u)" = 0 ] || skip "only root makes namespaces"
for Tool in ip tc unshare; do
  command -v "$Tool" >/dev/null 2>&1 || skip "there is no $Tool"
done
case $(mpirun --version 2>&1) in
*"Open MPI"*) ;;
*) skip "only Open MPI's launcher takes another way to start ranks" ;;
esac
trap remove EXIT
{ ip netns add "$A" && ip netns add "$B"; } 2>/dev/null || skip "ip netns add fails"
ip -n "$A" link add wire type veth peer name wire netns "$B" 2>/dev/null ||
  skip "no veth"
Number=1
for Name in "$A" "$B"; do
  ip -n "$Name" addr add "10.213.77.$Number/24" dev wire
  ip -n "$Name" link set lo up
  ip -n "$Name" link set wire up
  ip netns exec "$Name" tc qdisc add dev wire root netem delay 1ms loss 0.5% 2>/dev/null ||
    [ "$Number" = 2 ] || echo "the kernel has no netem: neither delay nor loss"
  Number=$((Number + 1))
done

# Open MPI asks for a shell on another machine by running AGENT HOST COMMAND.
cat >"$Folder/agent" <<EOF
#!/bin/sh
shift
exec ip netns exec $B unshare --uts sh -c "hostname b; \$*"
EOF
chmod +x "$Folder/agent"
# The name of the machine tells ranks that they share no memory.
ip netns exec "$A" unshare --uts sh -c 'hostname a; exec "$@"' sh \
  gridspan-run -n 2 -H 10.213.77.1:1,10.213.77.2:1 --mca plm_rsh_agent "$Folder/agent" \
  --mca btl tcp,self --mca pml ob1 "$@"
