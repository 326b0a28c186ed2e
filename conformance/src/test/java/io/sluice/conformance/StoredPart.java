package io.sluice.conformance;

/** What one build stores, for {@link StoredFolderTest} of every later build to find. What a part writes never changes. */
interface StoredPart {
    /** Once, before the server's last start: checkpoints have it. */
    void write() throws Exception;

    /** Once, after that start: the logs have it behind their checkpoints when the server is killed. */
    void writeBehindCheckpoints() throws Exception;

    /** All of it is there. May be called again. */
    void check() throws Exception;
}
