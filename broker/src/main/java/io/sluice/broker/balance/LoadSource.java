package io.sluice.broker.balance;

/** Tells what containers have to do. */
public interface LoadSource {
    /** Blocks. Containers that cannot be looked at are left out. One thread at a time. */
    LoadSample sample() throws InterruptedException;
}
