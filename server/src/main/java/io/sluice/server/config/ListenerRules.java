package io.sluice.server.config;

import io.sluice.broker.access.Authentication;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;

/** Rules that a listener keeps whose clients come from elsewhere, and that settings of different sections keep together. */
final class ListenerRules {
    private final Security security;

    private ListenerRules(Security security) {
        this.security = security;
    }

    /** @throws ConfigException a listener would let anybody in, or lacks what its authentication wants */
    static void check(ServerConfig config) {
        var rules = new ListenerRules(config.security());
        var kafka = config.kafka();
        rules.check("kafka", kafka.host(), kafka.tls(), kafka.authentication());
        rules.check("kafka", kafka.listeners());
        var pulsar = config.pulsar();
        rules.check("pulsar", pulsar.host(), pulsar.tls(), pulsar.authentication());
        rules.check(
                "http", config.http().host(), config.http().tls(), config.http().authentication());
        rules.check(config.internal());
    }

    private void check(Internal internal) {
        if (!internal.asksForProof() && !security.allowAnonymous() && !isLoopback(internal.host())) {
            throw new ConfigException("internal.host is " + internal.host()
                    + ", where anybody who reaches it is obeyed as a node: give the nodes certificates (internal.tls)"
                    + " or a secret (internal.secretFile), or set security.allowAnonymous: true");
        }
    }

    private void check(String protocol, Map<String, NamedListener> others) {
        others.forEach(
                (name, each) -> check(protocol + ".listeners." + name, each.host(), each.tls(), each.authentication()));
    }

    private void check(String listener, String host, boolean tls, String authentication) {
        Set<Authentication> ways = Ways.of(listener + ".", authentication);
        if (ways.isEmpty() && !security.allowAnonymous() && !isLoopback(host)) {
            throw new ConfigException(listener + ".host is " + host
                    + ", where anybody who reaches it could do everything: listen on 127.0.0.1, have clients authenticate ("
                    + listener + ".authentication), or set security.allowAnonymous: true");
        }
        if (tls && security.tls().certificate().isEmpty()) {
            throw new ConfigException(listener + ".tls wants security.tls.certificate");
        }
        if (ways.contains(Authentication.CERTIFICATE)
                && security.tls().clientAuthorities().isEmpty()) {
            throw new ConfigException(
                    listener
                            + ".authentication has certificate, which wants security.tls.clientAuthorities: whose certificates are taken");
        }
        if (ways.contains(Authentication.TOKEN) && security.tokens().isEmpty()) {
            throw new ConfigException(listener
                    + ".authentication has token, which wants security.tokens.secretFile, publicKeyFile or jwks");
        }
    }

    private static boolean isLoopback(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false; // binding it fails, and says so
        }
    }
}
