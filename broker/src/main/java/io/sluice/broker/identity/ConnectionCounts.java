package io.sluice.broker.identity;

import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** Counts the open connections of each client address and of each user, so that one alone cannot take all there are. Any thread. */
public final class ConnectionCounts {
    private final int mostOfAddress;
    private final int mostOfUser;
    private final ConcurrentMap<InetAddress, Integer> ofAddress = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Integer> ofUser = new ConcurrentHashMap<>();

    /** Users may have any number. */
    public ConnectionCounts(int mostOfAddress) {
        this(mostOfAddress, 0);
    }

    /** @param mostOfUser over all protocols; 0 for any number */
    public ConnectionCounts(int mostOfAddress, int mostOfUser) {
        this.mostOfAddress = mostOfAddress;
        this.mostOfUser = mostOfUser == 0 ? Integer.MAX_VALUE : mostOfUser;
    }

    private static <K> boolean enter(ConcurrentMap<K, Integer> open, K key, int most) {
        int[] refused = {0};
        open.compute(key, (_, count) -> {
            int now = count == null ? 0 : count;
            refused[0] = now >= most ? 1 : 0;
            return now >= most ? now : now + 1;
        });
        return refused[0] == 0;
    }

    private static <K> void left(ConcurrentMap<K, Integer> open, K key) {
        open.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Gives false if the address has as many as it may have; then {@link #left(InetAddress)} is not to be called. */
    public boolean enter(InetAddress address) {
        return enter(ofAddress, address, mostOfAddress);
    }

    /** A connection that had entered is closed. */
    public void left(InetAddress address) {
        left(ofAddress, address);
    }

    /**
     * A client has shown that it is this user.
     *
     * @throws LoginException the user has as many as it may have; then {@link #left(String)} is not to be called
     */
    public void enter(String user) throws LoginException {
        if (!enter(ofUser, user, mostOfUser)) {
            throw new LoginException("the user has " + mostOfUser + " connections, which is as many as it may have");
        }
    }

    /** A connection that had entered is closed. */
    public void left(String user) {
        left(ofUser, user);
    }
}
