package io.sluice.store.wal.bookkeeper;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.tls.SecurityException;
import org.apache.bookkeeper.tls.SecurityHandlerFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of BookKeeper's client and bookie by the files of a {@link BookieTls}. That of BookKeeper ({@code TLSContextFactory}) wants BouncyCastle,
 * and compares the bookie's certificate with the name that a reverse look-up of its address gives.
 */
public final class BookieTlsHandlers implements SecurityHandlerFactory {
    private static final Logger log = LoggerFactory.getLogger(BookieTlsHandlers.class);
    private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

    private boolean isServer;
    private BookieTls files;
    private ByteBufAllocator allocator;
    private @Nullable SslContext context;
    private List<FileTime> changed = List.of();

    /** For BookKeeper, which calls {@link #init} next. */
    @SuppressWarnings("NullAway.Init")
    public BookieTlsHandlers() {}

    @Override
    public String getHandlerName() {
        return "tls";
    }

    @Override
    public synchronized void init(NodeType end, AbstractConfiguration conf, ByteBufAllocator buffers)
            throws SecurityException {
        isServer = end == NodeType.Server;
        files = BookieTls.from(conf);
        allocator = buffers;
        try {
            changed = times();
            context = read();
        } catch (IOException | IllegalArgumentException e) {
            throw new SecurityException("the certificate of connections to bookies cannot be used", e);
        }
    }

    private List<FileTime> times() throws IOException {
        return List.of(
                Files.getLastModifiedTime(files.certificate()),
                Files.getLastModifiedTime(files.key()),
                Files.getLastModifiedTime(files.authorities()));
    }

    private SslContext read() throws IOException {
        SslContextBuilder builder = isServer
                ? SslContextBuilder.forServer(
                                files.certificate().toFile(), files.key().toFile())
                        .clientAuth(ClientAuth.REQUIRE)
                        .startTls(true)
                : SslContextBuilder.forClient()
                        .keyManager(files.certificate().toFile(), files.key().toFile())
                        .endpointIdentificationAlgorithm("");
        return builder.trustManager(files.authorities().toFile())
                .protocols(VERSIONS)
                .build();
    }

    /** With the files as they are now; if they cannot be used, with those before. */
    private synchronized SslContext current() {
        try {
            List<FileTime> now = times();
            if (!now.equals(changed)) {
                context = read();
                changed = now;
                log.info("New connections of bookies use the changed certificate");
            }
        } catch (IOException | IllegalArgumentException e) {
            log.warn("The certificate of connections to bookies stays as it was: {}", e.getMessage());
        }
        if (context == null) {
            throw new IllegalStateException("used before init");
        }
        return context;
    }

    @Override
    public SslHandler newTLSHandler() {
        return current().newHandler(allocator);
    }

    @Override
    public SslHandler newTLSHandler(String peer, int port) {
        return newTLSHandler();
    }
}
