package io.sluice.kafka.transaction.scripts;

import io.sluice.kafka.transaction.scripts.Requests.Member;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractResponse;

/** The only member of a classic group; it is to last as long as a script. */
final class GroupMember {
    private static final int SESSION = 300_000;

    private final ScriptClient client;
    private final String group;

    GroupMember(ScriptClient client, String group) {
        this.client = client;
        this.group = group;
    }

    Member join(String topic) throws IOException {
        JoinGroupResponseData first = join("", topic);
        JoinGroupResponseData joined = join(first.memberId(), topic);
        if (joined.errorCode() != 0) {
            throw new IOException("cannot join " + group + ": " + joined);
        }
        client.call(
                ApiKeys.SYNC_GROUP,
                3,
                new SyncGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(joined.memberId())
                        .setGenerationId(joined.generationId())
                        .setAssignments(List.of(new SyncGroupRequestData.SyncGroupRequestAssignment()
                                .setMemberId(joined.memberId())
                                .setAssignment(new byte[] {1}))));
        return new Member(joined.memberId(), joined.generationId());
    }

    private JoinGroupResponseData join(String memberId, String topic) throws IOException {
        var protocols = new JoinGroupRequestData.JoinGroupRequestProtocolCollection();
        protocols.add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                .setName("by " + topic)
                .setMetadata(new byte[] {1}));
        AbstractResponse answer = client.call(
                ApiKeys.JOIN_GROUP,
                5,
                new JoinGroupRequestData()
                        .setGroupId(group)
                        .setMemberId(memberId)
                        .setSessionTimeoutMs(SESSION)
                        .setRebalanceTimeoutMs(SESSION)
                        .setProtocolType("scripts")
                        .setProtocols(protocols));
        return (JoinGroupResponseData) Objects.requireNonNull(answer).data();
    }
}
