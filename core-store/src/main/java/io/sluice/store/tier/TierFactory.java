package io.sluice.store.tier;

/** Makes a container's {@link Tier} when its term begins; called on the loop, before recovery replays the log. */
public interface TierFactory {
    Tier open(TierHost host);
}
