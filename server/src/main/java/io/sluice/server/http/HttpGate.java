package io.sluice.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.KnownClient;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.LoginException;
import io.sluice.store.container.Tasks;
import io.sluice.store.tls.RevokedCertificates;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Base64;
import java.util.Set;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates requests before all routes but {@code /health} and {@code /ready}, by bearer token, basic password or the client's certificate
 * where the listener has authentication. Answers 401 to others, and 503 while users are not read yet.
 */
public final class HttpGate implements Handler<RoutingContext> {
    private static final String LISTENER = "http";
    private static final Set<String> OPEN = Set.of("/health", "/ready");
    /** Where a token may be in the query, as in Pulsar. */
    private static final String WEB_SOCKETS = "/ws/";

    /** Header by which Pulsar's proxy says for whom it asks. */
    private static final String ORIGINAL = "X-Original-Principal";

    private static final String BEARER = "Bearer ";
    private static final String BASIC = "Basic ";

    private final Tasks tasks;
    private volatile @Nullable ListenerSecurity security;

    /**
     * @param security null until {@link #open}
     * @param tasks runs what computes for long or waits
     */
    public HttpGate(@Nullable ListenerSecurity security, Tasks tasks) {
        this.security = security;
        this.tasks = tasks;
    }

    /** Lets requests in by these rules from now on. */
    public void open(ListenerSecurity rules) {
        security = rules;
    }

    /** Principal of a request; anybody where there was no gate. */
    public static Principal callerOf(RoutingContext ctx) {
        Principal known = ctx.get(Principal.ATTRIBUTE);
        return known == null ? Principal.ANONYMOUS : known;
    }

    @Override
    public void handle(RoutingContext ctx) {
        ListenerSecurity rules = security;
        if (OPEN.contains(ctx.normalizedPath())) {
            ctx.next();
        } else if (rules == null) {
            refuse(ctx, 503, "the server starts");
        } else if (rules.guard() == null) {
            admit(ctx, KnownClient.anonymous(Principal.anonymous(LISTENER, hostOf(ctx))));
        } else {
            check(ctx, rules, rules.guard());
        }
    }

    private void check(RoutingContext ctx, ListenerSecurity rules, Identities identities) {
        String shown = shown(ctx);
        if (shown == null) {
            byCertificate(ctx, rules, identities);
            return;
        }
        ctx.request().pause(); // its body is for the route
        Context context = ctx.vertx().getOrCreateContext();
        tasks.start("authenticate an HTTP client", () -> {
            try {
                KnownClient who = known(ctx, rules, identities, identified(identities, rules.ways(), shown), null);
                context.runOnContext(_ -> {
                    admit(ctx, who);
                    if (!isOfWebSocket(ctx)) { // which has no body, and is none once it has been read
                        ctx.request().resume();
                    }
                });
            } catch (LoginException e) {
                String way = hasScheme(shown, BEARER) ? "bearer" : hasScheme(shown, BASIC) ? "basic" : "other";
                String host = hostOf(ctx);
                identities.audit().loginFailed(LISTENER, host, way, userOf(shown), String.valueOf(e.getMessage()));
                identities.delayRefusal();
                context.runOnContext(_ -> {
                    refuse(ctx, 401, String.valueOf(e.getMessage()));
                    ctx.request().resume();
                });
            }
        });
    }

    /** A client that shows nothing else. */
    private static void byCertificate(RoutingContext ctx, ListenerSecurity rules, Identities identities) {
        SSLSession session = ctx.request().connection().sslSession();
        try {
            Identified who = session != null && rules.ways().contains(Authentication.CERTIFICATE)
                    ? identities.certificate(session)
                    : null;
            if (who == null) {
                refuse(ctx, 401, "authentication is required: a bearer token, name and password, or a certificate");
            } else {
                admit(ctx, known(ctx, rules, identities, who, session == null ? null : identities.shownIn(session)));
            }
        } catch (LoginException e) {
            refuse(ctx, 401, String.valueOf(e.getMessage()));
        }
    }

    private static Identified identified(Identities identities, Set<Authentication> ways, String shown)
            throws LoginException {
        if (hasScheme(shown, BEARER) && ways.contains(Authentication.TOKEN)) {
            return identities.token(shown.substring(BEARER.length()).strip());
        }
        if (hasScheme(shown, BASIC) && ways.contains(Authentication.PASSWORD)) {
            String pair = decoded(shown.substring(BASIC.length()).strip());
            int colon = pair.indexOf(':');
            if (colon > 0) {
                return identities.password(pair.substring(0, colon), pair.substring(colon + 1));
            }
        }
        throw new LoginException("this kind of authentication is not supported");
    }

    /** Name beside a password; empty if there is none. */
    private static String userOf(String shown) {
        String pair = hasScheme(shown, BASIC)
                ? decoded(shown.substring(BASIC.length()).strip())
                : "";
        return pair.substring(0, Math.max(0, pair.indexOf(':')));
    }

    private static boolean hasScheme(String shown, String scheme) {
        return shown.regionMatches(true, 0, scheme, 0, scheme.length());
    }

    private static String decoded(String base64) {
        try {
            return new String(Base64.getDecoder().decode(base64), UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    private static String hostOf(RoutingContext ctx) {
        return ctx.request().remoteAddress().hostAddress();
    }

    /** A browser cannot send headers where it opens a WebSocket. */
    private static @Nullable String shown(RoutingContext ctx) {
        String header = ctx.request().getHeader("authorization");
        String token = header == null && isOfWebSocket(ctx) ? ctx.queryParams().get("token") : null;
        return token == null ? header : BEARER + token;
    }

    private static boolean isOfWebSocket(RoutingContext ctx) {
        return ctx.normalizedPath().startsWith(WEB_SOCKETS);
    }

    private static KnownClient known(
            RoutingContext ctx,
            ListenerSecurity rules,
            Identities identities,
            Identified who,
            RevokedCertificates.@Nullable Shown certificates)
            throws LoginException {
        Principal principal = who.principal(LISTENER, hostOf(ctx));
        String original = ctx.request().getHeader(ORIGINAL);
        // as in Pulsar, any client may name itself over HTTP
        if (original != null
                && !original.equals(who.name())
                && identities.proxies().check(who.name(), original)) {
            principal = identities
                    .vouchedFor(original)
                    .principal(LISTENER, hostOf(ctx))
                    .through(principal);
        } else {
            identities.proxies().check(who.name(), null);
        }
        long until = identities.sessionEnd(who, System.currentTimeMillis());
        return new KnownClient(rules, principal, until, certificates);
    }

    private static void admit(RoutingContext ctx, KnownClient who) {
        ctx.put(KnownClient.ATTRIBUTE, who);
        ctx.put(Principal.ATTRIBUTE, who.principal());
        ctx.next();
    }

    private static void refuse(RoutingContext ctx, int status, String reason) {
        if (ctx.response().ended() || ctx.response().closed()) {
            return;
        }
        if (status == 401) {
            ctx.response().putHeader("www-authenticate", "Bearer, Basic realm=\"sluice\"");
        }
        ctx.response()
                .setStatusCode(status)
                .putHeader("content-type", "application/json")
                .end(new JsonObject().put("reason", reason).encode() + "\n");
    }
}
