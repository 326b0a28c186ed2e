package io.sluice.kafka.share;

import io.sluice.broker.log.Isolation;
import java.util.Optional;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;

/** Settings of share groups: each group's own, in Kafka's words, and the server's for what it does not set. Any thread. */
public final class ShareSettings {
    private final GroupConfigManager groups;
    private final ShareGroupConfig server;

    public ShareSettings(GroupConfigManager groups, ShareGroupConfig server) {
        this.groups = groups;
        this.server = server;
    }

    int maxSessions() {
        return server.shareGroupMaxShareSessions();
    }

    ShareLimits of(String group) {
        Optional<GroupConfig> own = groups.groupConfig(group);
        boolean committed =
                own.flatMap(GroupConfig::shareIsolationLevel).orElse(GroupConfig.defaultShareIsolationLevel())
                        == IsolationLevel.READ_COMMITTED;
        return new ShareLimits(
                own.flatMap(GroupConfig::shareRecordLockDurationMs).orElse(server.shareGroupRecordLockDurationMs()),
                own.flatMap(GroupConfig::shareDeliveryCountLimit).orElse(server.shareGroupDeliveryCountLimit()),
                own.flatMap(GroupConfig::sharePartitionMaxRecordLocks)
                        .orElse(server.shareGroupPartitionMaxRecordLocks()),
                own.flatMap(GroupConfig::shareRenewAcknowledgeEnable)
                        .orElse(GroupConfig.SHARE_RENEW_ACKNOWLEDGE_ENABLE_DEFAULT),
                committed ? Isolation.COMMITTED : Isolation.UNCOMMITTED,
                own.flatMap(GroupConfig::shareAutoOffsetReset).orElse(GroupConfig.defaultShareAutoOffsetReset()));
    }
}
