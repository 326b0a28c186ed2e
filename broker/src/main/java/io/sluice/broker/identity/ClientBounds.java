package io.sluice.broker.identity;

/**
 * Bounds of what one client address and one user have at the same time, and of how fast a client may guess.
 *
 * @param connectionsPerAddress to all listeners with authentication
 * @param connectionsPerUser over all protocols; 0 for any number
 * @param subscriptionsPerUser over all protocols; 0 for any number
 * @param refusalDelayMillis before a client is told that it is refused
 */
public record ClientBounds(
        int connectionsPerAddress, int connectionsPerUser, int subscriptionsPerUser, long refusalDelayMillis) {
    /** Time in milliseconds before a client is told that it is refused: it cannot try fast. */
    public static final long REFUSAL_DELAY_MILLIS = 500;

    /** With the usual delay of refusals. */
    public ClientBounds(int connectionsPerAddress, int connectionsPerUser, int subscriptionsPerUser) {
        this(connectionsPerAddress, connectionsPerUser, subscriptionsPerUser, REFUSAL_DELAY_MILLIS);
    }

    /** Users may have any number. */
    public ClientBounds(int connectionsPerAddress) {
        this(connectionsPerAddress, 0, 0);
    }
}
