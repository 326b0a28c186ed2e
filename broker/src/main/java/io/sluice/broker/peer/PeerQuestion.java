package io.sluice.broker.peer;

/**
 * A question for another node.
 *
 * @param kind says who answers it; numbers are in {@link PeerKinds}
 * @param version of the body's form, from 0 on
 * @param body not changed any more, {@link Peers#MOST_BYTES} at most
 */
public record PeerQuestion(short kind, short version, byte[] body) {
    public PeerQuestion {
        if (kind <= 0 || version < 0) {
            throw new IllegalArgumentException("kinds are 1 or more, versions 0 or more");
        }
        if (body.length > Peers.MOST_BYTES) {
            throw new IllegalArgumentException(
                    "a question has " + Peers.MOST_BYTES + " bytes at most, not " + body.length);
        }
    }
}
