package io.sluice.broker.identity;

/**
 * Bounds of what one client address and one user have at the same time.
 *
 * @param connectionsPerAddress to all listeners with authentication
 * @param connectionsPerUser over all protocols; 0 for any number
 * @param subscriptionsPerUser over all protocols; 0 for any number
 */
public record ClientBounds(int connectionsPerAddress, int connectionsPerUser, int subscriptionsPerUser) {
    /** Users may have any number. */
    public ClientBounds(int connectionsPerAddress) {
        this(connectionsPerAddress, 0, 0);
    }
}
