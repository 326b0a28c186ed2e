package io.sluice.conformance;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Moves partitions to containers at random, one after the other, as fast as the server answers; also one that is killed. */
final class Moves {
    /** Of the server's store. */
    static final int CONTAINERS = 4;

    private final SluiceServer server;
    private final Random random;
    private final List<Partition> partitions;
    private final CompletableFuture<Integer> done = new CompletableFuture<>();
    /** How many have to be made; unknown while the server is still killed now and then. */
    private volatile int enough = Integer.MAX_VALUE;

    /** @param topic as clients name it */
    record Partition(String topic, int number) {}

    Moves(SluiceServer server, long seed, List<Partition> partitions) {
        this.server = server;
        this.random = new Random(seed);
        this.partitions = partitions;
    }

    void start() {
        Thread.ofVirtual().name("moves").start(() -> {
            try {
                done.complete(run());
            } catch (InterruptedException | RuntimeException | AssertionError e) {
                done.completeExceptionally(e);
            }
        });
    }

    private int run() throws InterruptedException {
        int moved = 0;
        while (moved < enough) {
            Partition next = partitions.get(random.nextInt(partitions.size()));
            if (move(next, random.nextInt(CONTAINERS))) {
                moved++;
            }
        }
        return moved;
    }

    /** False if the server was killed, or does not serve again yet. */
    private boolean move(Partition partition, int container) throws InterruptedException {
        String topic = URLEncoder.encode(partition.topic, StandardCharsets.UTF_8);
        try {
            var answer = server.ask(
                    "POST",
                    "/sluice/topics/move?topic=" + topic + "&partition=" + partition.number + "&container=" + container,
                    "");
            // While it starts its routes are not there yet, and then its containers.
            if (answer.status() != 200 && answer.status() != 404 && answer.status() != 503) {
                throw new AssertionError("a move was answered " + answer);
            }
            return answer.status() == 200;
        } catch (IOException e) {
            if (enough < Integer.MAX_VALUE) {
                throw new AssertionError("a move was not answered by a server that runs", e);
            }
            return false;
        }
    }

    /**
     * Ends once so many were made, with the server running from here on. Gives how many were made.
     *
     * @param atLeast moves since the start
     */
    int finish(int atLeast) {
        enough = atLeast;
        return done.join();
    }
}
