package io.sluice.kafka.coordinator;

import org.apache.kafka.server.common.GroupVersion;

/** What {@code ApiVersions} says about groups: clients use the KIP-848 protocol only if {@code group.version} is finalized. */
public final class GroupProtocol {
    /** Name of the feature. */
    public static final String FEATURE = GroupVersion.FEATURE_NAME;

    /** Finalized level, also the highest supported; 1 is "consumer groups of KIP-848". */
    public static final short LEVEL = GroupVersion.GV_1.featureLevel();

    private GroupProtocol() {}
}
