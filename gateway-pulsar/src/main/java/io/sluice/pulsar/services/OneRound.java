package io.sluice.pulsar.services;

import java.util.concurrent.locks.ReentrantLock;

/** Rounds of a task over all topics, of which one runs at a time. One that is interrupted ends early. Any thread; blocks. */
final class OneRound {
    private final ReentrantLock underWay = new ReentrantLock();

    /** A look at all topics. */
    interface Round {
        void run() throws InterruptedException;
    }

    /** Runs it unless another one is under way. */
    void unlessUnderWay(Round round) {
        if (underWay.tryLock()) {
            runLocked(round);
        }
    }

    /** Runs it once no other one is under way. */
    void now(Round round) {
        underWay.lock();
        runLocked(round);
    }

    private void runLocked(Round round) {
        try {
            round.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            underWay.unlock();
        }
    }
}
