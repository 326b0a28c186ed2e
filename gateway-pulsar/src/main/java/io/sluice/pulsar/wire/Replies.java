package io.sluice.pulsar.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandConnected;
import org.apache.pulsar.common.api.proto.ProtocolVersion;
import org.apache.pulsar.common.protocol.Commands;

/** Frames for which Pulsar's library has no public builder that fits. */
public final class Replies {
    private static final int NEWEST = ProtocolVersion.values()[ProtocolVersion.values().length - 1].getValue();

    private Replies() {}

    /** The newest protocol version spoken here. */
    public static int newestVersion() {
        return NEWEST;
    }

    public static ByteBuf ping() {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.PING);
        command.setPing();
        return Commands.serializeWithSize(command);
    }

    /** Only features that are there have their flag set. */
    public static ByteBuf connected(String serverVersion, int protocolVersion, int maxMessageBytes) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.CONNECTED);
        CommandConnected connected = command.setConnected()
                .setServerVersion(serverVersion)
                .setProtocolVersion(protocolVersion)
                .setMaxMessageSize(maxMessageBytes);
        connected
                .setFeatureFlags()
                .setSupportsGetPartitionedMetadataWithoutAutoCreation(true)
                .setSupportsTopicWatchers(true)
                .setSupportsTopicWatcherReconcile(true)
                .setSupportsScalableTopics(true)
                .setSupportsReplDedupByLidAndEid(true)
                .setSupportsTcMetadataDiscovery(true);
        return Commands.serializeWithSize(command);
    }

    /** Asks a client to authenticate again, in words that Pulsar's clients know. */
    public static ByteBuf refreshChallenge(String method, int protocolVersion) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.AUTH_CHALLENGE);
        command.setAuthChallenge()
                .setProtocolVersion(protocolVersion)
                .setChallenge()
                .setAuthMethodName(method)
                .setAuthData("PulsarAuthRefresh".getBytes(UTF_8));
        return Commands.serializeWithSize(command);
    }
}
