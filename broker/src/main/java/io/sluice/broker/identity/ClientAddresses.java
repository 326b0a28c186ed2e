package io.sluice.broker.identity;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts the connections of each client address, so that one alone cannot take all there are. Any thread. */
public final class ClientAddresses {
    private final int most;
    private final ConcurrentMap<InetAddress, Integer> open = new ConcurrentHashMap<>();

    /** @param most connections of one address */
    public ClientAddresses(int most) {
        this.most = most;
    }

    /** Gives false if the address has as many as it may have; then {@link #left} is not to be called. */
    public boolean enter(InetAddress address) {
        int[] refused = {0};
        open.compute(address, (_, count) -> {
            int now = count == null ? 0 : count;
            refused[0] = now >= most ? 1 : 0;
            return now >= most ? now : now + 1;
        });
        return refused[0] == 0;
    }

    /** A connection that had entered is closed. */
    public void left(InetAddress address) {
        open.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
    }
}
