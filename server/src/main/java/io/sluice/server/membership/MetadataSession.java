package io.sluice.server.membership;

/** This process's session with the metadata store. */
public interface MetadataSession {
    /** False after the session was lost, until there is another. Any thread; does not block. */
    boolean isThere();

    /** Reads from the store by a session that is made for it. Blocks, perhaps for as long as the store is away. */
    boolean isStoreThere();
}
