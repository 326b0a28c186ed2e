package io.sluice.pulsar.rates;

/** How fast a topic may be published to. */
public interface PublishPace {
    /** Milliseconds for which who publishes to it is to be read no further; 0 for none. */
    long publishWait();
}
