package io.sluice.store.cache;

import static io.sluice.store.cache.StreamingCache.BUFFER_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A pinned read of many pieces goes out through Netty's transports as it is, and its blocks come back. */
class PinnedWriteTest {
    private static final int TIMEOUT_SECONDS = 30;

    @Test
    void goesOutThroughEpoll() throws Exception {
        Assumptions.assumeTrue(Epoll.isAvailable());
        write(EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class);
    }

    @Test
    void goesOutThroughNio() throws Exception {
        write(NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
    }

    private static void write(
            IoHandlerFactory io, Class<? extends ServerChannel> server, Class<? extends Channel> client)
            throws Exception {
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, io);
        Random random = new Random(5);
        byte[] bytes = TestBytes.random(random, 1_000_000);
        try (StreamingCache cache = new StreamingCache(new CacheConfig(2L * BUFFER_BYTES))) {
            int address = interleaved(cache, bytes);
            Collector collector = new Collector(bytes.length);
            Channel listener = new ServerBootstrap()
                    .group(loops)
                    .channel(server)
                    .childHandler(collector)
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            InetSocketAddress local = (InetSocketAddress) listener.localAddress();
            Channel sender = new Bootstrap()
                    .group(loops)
                    .channel(client)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(local)
                    .sync()
                    .channel();
            ByteBuf data = cache.get(address);
            assertThat(data.nioBufferCount()).isGreaterThan(8);
            sender.writeAndFlush(data).sync();
            TestBytes.assertHolds(collector.all.get(TIMEOUT_SECONDS, TimeUnit.SECONDS), bytes, 0, bytes.length);
            assertThat(cache.reclaim()).isGreaterThan(8);
            cache.delete(address);
            assertThat(cache.stats().deletedPinnedBytes()).isZero();
        } finally {
            loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
        }
    }

    /** An entry that grew beside others, so that it lies in many places. */
    private static int interleaved(StreamingCache cache, byte[] bytes) {
        int address = cache.insert(Unpooled.wrappedBuffer(bytes, 0, 10_000));
        for (int from = 10_000; from < bytes.length; from += 10_000) {
            cache.insert(Unpooled.wrappedBuffer(bytes, 0, 1));
            address = cache.append(address, Unpooled.wrappedBuffer(bytes, from, 10_000));
        }
        return address;
    }

    /** Gathers what arrives. */
    private static final class Collector extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<ByteBuf> all = new CompletableFuture<>();
        private final ByteBuf received;
        private final int expected;

        Collector(int expected) {
            this.expected = expected;
            received = Unpooled.buffer(expected);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf data = (ByteBuf) message;
            received.writeBytes(data);
            data.release();
            if (received.readableBytes() == expected) {
                all.complete(received);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            all.completeExceptionally(cause);
        }
    }
}
