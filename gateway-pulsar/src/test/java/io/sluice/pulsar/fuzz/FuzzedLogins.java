package io.sluice.pulsar.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.OneUser;
import io.sluice.broker.identity.OneUser.OnlyAlice;
import io.sluice.testing.fuzz.FuzzedServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A gateway that wants to know who comes. Who is refused hears of it after half a second, so that many come at once. */
final class FuzzedLogins implements FuzzedServer {
    /** Of each worker; more for long runs, since most of a login is waiting. */
    private static final int AT_ONCE = Integer.getInteger("sluice.fuzz.clients", 24);

    private final OneUser alice;
    private final FuzzedPulsar server;

    FuzzedLogins(Path folder) throws Exception {
        alice = new OneUser(folder);
        server = new FuzzedPulsar(
                new ListenerSecurity(null, Set.of(Authentication.TOKEN, Authentication.PASSWORD), alice.identities()),
                new OnlyAlice(),
                CommandMaker.connect("token", alice.right().token().getBytes(UTF_8)));
    }

    @Override
    public int play(long seed) throws Exception {
        Random random = new Random(seed);
        List<Future<Integer>> played = new ArrayList<>();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int n = 0; n < AT_ONCE; n++) {
                Random own = new Random(random.nextLong());
                boolean right = own.nextInt(3) == 0;
                played.add(clients.submit(
                        () -> new LoginSequence(own, right ? alice.right() : alice.wrong(own), own.nextBoolean())
                                .play(server.port())));
            }
            int sent = 0;
            for (Future<Integer> each : played) {
                sent += each.get(60, TimeUnit.SECONDS);
            }
            return sent;
        }
    }

    @Override
    public void neighbour() throws Exception {
        server.neighbour();
    }

    @Override
    public void neighbourLeaves() throws Exception {
        new LoginSequence(new Random(0), alice.right(), true).play(server.port());
        server.neighbourLeaves();
    }

    @Override
    public long requestMemoryUsed() {
        return server.requestMemoryUsed();
    }

    @Override
    public int openConnections() {
        return server.openConnections();
    }

    @Override
    public void close() {
        server.close();
        alice.close();
    }
}
