package io.sluice.broker.peer;

/** Kinds of questions that nodes ask each other; a number is never used for anything else. Those of the transport are 0 and below. */
public final class PeerKinds {
    /** Has a step carried out in a container. */
    public static final short CHANGE_CONTAINER = 2;

    /** Asks what the containers of a node have to do. */
    public static final short MEASURE_LOAD = 3;

    /** Asks coordinators of transactions. */
    public static final short ASK_COORDINATORS = 20;

    /** Writes markers of transactions. */
    public static final short WRITE_MARKERS = 21;

    /** Has a node expect a Pulsar client that another one has let in. */
    public static final short INTRODUCE_CLIENT = 30;

    private PeerKinds() {}
}
