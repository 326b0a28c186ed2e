package io.sluice.bookie.cluster;

import io.sluice.bookie.assembly.BookieAssembly;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.http.HttpRouter;
import org.apache.bookkeeper.http.HttpServer.ApiType;
import org.apache.bookkeeper.http.HttpServer.Method;
import org.apache.bookkeeper.http.service.HttpServiceRequest;
import org.apache.bookkeeper.http.service.HttpServiceResponse;
import org.apache.bookkeeper.server.http.BKHttpServiceProvider;
import org.apache.bookkeeper.stats.NullStatsProvider;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataClientDriver;

/**
 * BookKeeper's HTTP admin of one bookie, as questions and answers; whatever serves HTTP asks it. Paths, parameters and answers are BookKeeper's.
 * Left out are services that change ledgers or read their entries, that our bookies have no use for (garbage collection by hand, compaction,
 * more disks), or that count BookKeeper's cookies, which our bookies do not have.
 */
public final class BookieAdmin implements AutoCloseable {
    private static final Set<Method> READ = Set.of(Method.GET);
    private static final Set<Method> CHANGE = Set.of(Method.PUT);
    private static final Set<Method> BOTH = Set.of(Method.GET, Method.PUT);

    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private final BKHttpServiceProvider services;

    /** Operation that a path stands for. */
    private record Operation(ApiType type, Set<Method> methods) {}

    /**
     * An answer of HTTP.
     *
     * @param type of the body
     */
    public record Answer(int status, String type, String body) {}

    BookieAdmin(BookieAssembly bookie, ServerConfiguration conf) throws IOException {
        try {
            // Loading the class registers it for the URI's scheme.
            Class.forName(PulsarMetadataClientDriver.class.getName());
            services = new BKHttpServiceProvider.Builder()
                    .setBookieServer(bookie.server())
                    .setServerConfiguration(conf)
                    .setLedgerManagerFactory(bookie.driver().getLedgerManagerFactory())
                    .setStatsProvider(new NullStatsProvider())
                    .build();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while BookKeeper's admin starts", e);
        } catch (Exception e) {
            throw e instanceof IOException asItIs
                    ? asItIs
                    : new IOException("BookKeeper's admin does not start: " + e.getMessage(), e);
        }
        operations.put(HttpRouter.HEARTBEAT, new Operation(ApiType.HEARTBEAT, READ));
        operations.put(HttpRouter.SERVER_CONFIG, new Operation(ApiType.SERVER_CONFIG, READ));
        operations.put(HttpRouter.LIST_LEDGER, new Operation(ApiType.LIST_LEDGER, READ));
        operations.put(HttpRouter.GET_LEDGER_META, new Operation(ApiType.GET_LEDGER_META, READ));
        operations.put(HttpRouter.LIST_BOOKIES, new Operation(ApiType.LIST_BOOKIES, READ));
        operations.put(HttpRouter.LIST_BOOKIE_INFO, new Operation(ApiType.LIST_BOOKIE_INFO, READ));
        operations.put(HttpRouter.BOOKIE_STATE, new Operation(ApiType.BOOKIE_STATE, READ));
        operations.put(HttpRouter.BOOKIE_STATE_READONLY, new Operation(ApiType.BOOKIE_STATE_READONLY, BOTH));
        operations.put(HttpRouter.BOOKIE_IS_READY, new Operation(ApiType.BOOKIE_IS_READY, READ));
        operations.put(HttpRouter.BOOKIE_INFO, new Operation(ApiType.BOOKIE_INFO, READ));
        operations.put(HttpRouter.AUTORECOVERY_STATUS, new Operation(ApiType.AUTORECOVERY_STATUS, BOTH));
        operations.put(
                HttpRouter.LIST_UNDER_REPLICATED_LEDGER, new Operation(ApiType.LIST_UNDER_REPLICATED_LEDGER, READ));
        operations.put(HttpRouter.WHO_IS_AUDITOR, new Operation(ApiType.WHO_IS_AUDITOR, READ));
        operations.put(HttpRouter.TRIGGER_AUDIT, new Operation(ApiType.TRIGGER_AUDIT, CHANGE));
        operations.put(HttpRouter.LOST_BOOKIE_RECOVERY_DELAY, new Operation(ApiType.LOST_BOOKIE_RECOVERY_DELAY, BOTH));
    }

    /** Paths that {@link #ask} knows. */
    public Set<String> paths() {
        return operations.keySet();
    }

    /**
     * Asks BookKeeper; blocks, some questions for as long as other bookies take to answer.
     *
     * @param path one of {@link #paths}
     * @param method of HTTP
     */
    public Answer ask(String path, String method, Map<String, String> parameters, String body) {
        Operation operation = operations.get(path);
        if (operation == null) {
            return new Answer(404, "text/plain", "no such path\n");
        }
        Method asked = operation.methods().stream()
                .filter(each -> each.name().equals(method))
                .findFirst()
                .orElse(null);
        if (asked == null) {
            return new Answer(405, "text/plain", "the method is one of " + operation.methods() + "\n");
        }
        try {
            HttpServiceResponse answer = services.provideHttpEndpointService(operation.type())
                    .handle(new HttpServiceRequest(body, asked, parameters));
            return new Answer(
                    answer.getStatusCode(),
                    answer.getContentType() == null ? "text/plain" : answer.getContentType(),
                    answer.getBody() == null ? "" : answer.getBody());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(503, "text/plain", "interrupted\n");
        } catch (Exception e) {
            return new Answer(500, "text/plain", e.getMessage() + "\n");
        }
    }

    @Override
    public void close() throws IOException {
        services.close();
    }
}
