package io.sluice.pulsar;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Authentication;
import org.apache.pulsar.client.impl.ClientCnx;
import org.apache.pulsar.client.impl.ConnectionPool;
import org.apache.pulsar.client.impl.PulsarClientImpl;
import org.apache.pulsar.client.impl.conf.ClientConfigurationData;
import org.apache.pulsar.client.impl.metrics.InstrumentProvider;
import org.apache.pulsar.common.protocol.Commands;

/** Pulsar's client whose connections say CONNECT as Pulsar's proxy does for it; challenges go to the client itself. */
final class ProxiedClient implements AutoCloseable {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    final PulsarClientImpl client;

    /**
     * @param proxyToken by which the proxy logs in
     * @param original whom it says to act for
     * @param own of the client, passed on; its method is {@code none} to pass on nothing
     */
    ProxiedClient(int port, String proxyToken, String original, Authentication own) throws Exception {
        var settings = new ClientConfigurationData();
        settings.setServiceUrl("pulsar://127.0.0.1:" + port);
        settings.setAuthentication(own);
        settings.setOperationTimeoutMs(TimeUnit.SECONDS.toMillis(30));
        own.start();
        var pool = new ConnectionPool(
                InstrumentProvider.NOOP,
                settings,
                loops,
                () -> new ClientCnx(InstrumentProvider.NOOP, settings, loops) {
                    @Override
                    protected ByteBuf newConnectCommand() throws Exception {
                        boolean none = own.getAuthMethodName().equals("none");
                        return Commands.newConnect(
                                "token",
                                proxyToken,
                                Commands.getCurrentProtocolVersion(),
                                "proxy",
                                null,
                                original,
                                none ? null : own.getAuthData().getCommandData(),
                                none ? null : own.getAuthMethodName());
                    }
                },
                timer);
        client = new PulsarClientImpl(settings, loops, pool);
    }

    @Override
    public void close() throws Exception {
        client.close();
        timer.shutdown();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
