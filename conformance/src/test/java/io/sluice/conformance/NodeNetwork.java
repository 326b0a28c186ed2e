package io.sluice.conformance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A network of this machine's own, in which each node has a network namespace and an address, and cables can be cut. Everything else, the
 * stores and the test with its clients, is at {@link #outside}. Wants root, and Debian's {@code iproute2} and {@code iptables}.
 *
 * <p>The nodes' cables meet in a bridge that has a namespace of its own, where no packet filter of this machine looks at what passes.
 */
final class NodeNetwork implements AutoCloseable {
    /** Reserved for measurements between networks (RFC 2544), so that nothing else is there. */
    private static final int FIRST_OCTET = 198;

    private static final int TRIES = 50;
    private static final String PREFIX = "sluice";

    private final String name;
    private final String subnet;
    private final List<String> namespaces = new ArrayList<>();

    /** How packets end where a cable is cut. */
    enum Cut {
        /** They are gone, and nobody is told. */
        BLACK_HOLE,
        /** Who sends them is told at once: connections break, new ones are refused. */
        RESET
    }

    private NodeNetwork(int number) {
        name = PREFIX + number;
        subnet = FIRST_OCTET + "." + (18 + number / 256) + "." + number % 256 + ".";
    }

    /** Whether this process may make one. */
    static boolean isPossible() {
        String probe = PREFIX + "-probe-" + ProcessHandle.current().pid();
        try {
            run(List.of("ip", "netns", "add", probe));
            try {
                run(inside(probe, "iptables", "-w", "-L", "-n"));
            } finally {
                run(List.of("ip", "netns", "del", probe));
            }
            return true;
        } catch (IOException no) {
            return false;
        }
    }

    /** @param nodes numbered from 1 */
    static NodeNetwork of(int nodes) throws IOException {
        for (int attempt = 1; ; attempt++) {
            var network = new NodeNetwork(ThreadLocalRandom.current().nextInt(512));
            try {
                run(List.of("ip", "netns", "add", network.name));
                network.connect(nodes);
                return network;
            } catch (
                    IOException
                            taken) { // by another test, or by the link of one whose namespace is still being removed
                network.close();
                if (attempt == TRIES) {
                    throw taken;
                }
            }
        }
    }

    private void connect(int nodes) throws IOException {
        namespaces.add(name);
        run(inside(name, "ip", "link", "add", "bridge", "type", "bridge"));
        run(inside(name, "ip", "link", "set", "bridge", "up"));
        // the end here; its other end is in the bridge
        run(List.of("ip", "link", "add", name, "type", "veth", "peer", "name", "outside", "netns", name));
        plugIn("outside");
        run(List.of("ip", "address", "add", outside() + "/24", "dev", name));
        run(List.of("ip", "link", "set", name, "up"));
        for (int node = 1; node <= nodes; node++) {
            String own = namespace(node);
            run(List.of("ip", "netns", "add", own));
            namespaces.add(own);
            String plug = "node" + node;
            run(inside(own, "ip", "link", "add", "eth0", "type", "veth", "peer", "name", plug, "netns", name));
            plugIn(plug);
            run(inside(own, "ip", "address", "add", host(node) + "/24", "dev", "eth0"));
            run(inside(own, "ip", "link", "set", "eth0", "up"));
            run(inside(own, "ip", "link", "set", "lo", "up"));
        }
    }

    private void plugIn(String end) throws IOException {
        run(inside(name, "ip", "link", "set", end, "master", "bridge"));
        run(inside(name, "ip", "link", "set", end, "up"));
    }

    /** Address of the stores and clients. */
    String outside() {
        return subnet + 254;
    }

    /** Address of a node. */
    String host(int node) {
        return subnet + node;
    }

    private String namespace(int node) {
        return name + "-" + node;
    }

    /** What runs a command, whose words follow, in a process at that node. */
    List<String> at(int node) {
        return List.of("ip", "netns", "exec", namespace(node));
    }

    /** Between two nodes, whatever the port. */
    void cutNodes(int one, int other, Cut how) throws IOException {
        cut(one, how, "--destination " + host(other), "--source " + host(other));
        cut(other, how, "--destination " + host(one), "--source " + host(one));
    }

    /** From a node to ports outside. */
    void cutServices(int node, Cut how, int... ports) throws IOException {
        for (int port : ports) {
            cut(
                    node,
                    how,
                    "--destination %s --dport %d".formatted(outside(), port),
                    "--source %s --sport %d".formatted(outside(), port));
        }
    }

    /** From outside to ports of a node. */
    void cutClients(int node, Cut how, int... ports) throws IOException {
        for (int port : ports) {
            cut(
                    node,
                    how,
                    "--destination %s --sport %d".formatted(outside(), port),
                    "--source %s --dport %d".formatted(outside(), port));
        }
    }

    private void cut(int node, Cut how, String going, String coming) throws IOException {
        if (how == Cut.RESET) { // the word that a connection is broken is let through
            filter(node, "-I OUTPUT -p tcp --tcp-flags RST RST -j ACCEPT");
        }
        String end = how == Cut.RESET ? "REJECT --reject-with tcp-reset" : "DROP";
        filter(node, "-A OUTPUT -p tcp " + going + " -j " + end);
        filter(node, "-A INPUT -p tcp " + coming + " -j " + end);
    }

    /** All that was cut at a node; what was cut between two is mended at both. */
    void mend(int node) throws IOException {
        filter(node, "-F");
    }

    private void filter(int node, String rule) throws IOException {
        run(inside(namespace(node), ("iptables -w " + rule).split(" ")));
    }

    private static List<String> inside(String namespace, String... command) {
        List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", namespace));
        words.addAll(List.of(command));
        return words;
    }

    private static void run(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.onExit().join().exitValue();
        if (code != 0) {
            throw new IOException("%s ended with %d: %s".formatted(String.join(" ", command), code, said));
        }
    }

    /** Cables go with the namespaces that they end in. Once nothing runs there any more. */
    @Override
    public void close() throws IOException {
        for (String each : namespaces.reversed()) {
            run(List.of("ip", "netns", "del", each));
        }
    }
}
