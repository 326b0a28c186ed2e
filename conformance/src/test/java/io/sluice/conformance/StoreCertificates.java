package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Certificates for all that a cluster stands on, as {@code sluice security init} makes them, and how each of these programs is told of them.
 * Servers show the one for hosts, and want that of nodes.
 */
record StoreCertificates(Path folder) {
    /** @param host address of all servers; ZooKeeper's client looks up its name */
    static StoreCertificates make(Path parent, String host) throws Exception {
        Path folder = parent.resolve("secure");
        Ended made =
                Ended.sluice(parent, "security", "init", "--out", folder.toString(), "--hosts", host + ",localhost");
        assertThat(made.code()).as(made.output()).isZero();
        var certificates = new StoreCertificates(folder);
        for (String name : new String[] {"server", "node"}) {
            Files.writeString(
                    folder.resolve(name + "-both.pem"),
                    Files.readString(folder.resolve(name + "-key.pem"))
                            + Files.readString(folder.resolve(name + ".pem")));
        }
        Path s3 = Files.createDirectories(certificates.ofS3Server());
        Files.copy(folder.resolve("server.pem"), s3.resolve("public.crt"));
        Files.copy(folder.resolve("server-key.pem"), s3.resolve("private.key"));
        Files.writeString(certificates.ofZooKeepersClient(), """
                zookeeper.client.secure=true
                zookeeper.clientCnxnSocket=org.apache.zookeeper.ClientCnxnSocketNetty
                zookeeper.ssl.keyStore.location=%1$s/node-both.pem
                zookeeper.ssl.trustStore.location=%1$s/ca.pem
                """.formatted(folder));
        Files.writeString(certificates.ofEtcdsClient(), """
                useTls: true
                tlsProvider: OPENSSL
                tlsTrustCertsFilePath: %1$s/ca.pem
                tlsCertificateFilePath: %1$s/node.pem
                tlsKeyFilePath: %1$s/node-key.pem
                """.formatted(folder));
        return certificates;
    }

    Path ofZooKeepersClient() {
        return folder.resolve("zookeeper-client.properties");
    }

    Path ofEtcdsClient() {
        return folder.resolve("etcd-client.yaml");
    }

    Path ofS3Server() {
        return folder.resolve("s3");
    }

    Path authority() {
        return folder.resolve("ca.pem");
    }

    /** For ZooKeeper's server, in place of the port without TLS. */
    String ofZooKeeper(String host, int port) {
        return """
                secureClientPort=%2$d
                secureClientPortAddress=%3$s
                serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory
                ssl.clientAuth=need
                ssl.keyStore.location=%1$s/server-both.pem
                ssl.trustStore.location=%1$s/node-ca.pem
                """.formatted(folder, port, host);
    }

    /** Options of etcd. */
    String[] ofEtcd() {
        return new String[] {
            "--cert-file",
            folder.resolve("server.pem").toString(),
            "--key-file",
            folder.resolve("server-key.pem").toString(),
            "--client-cert-auth",
            "--trusted-ca-file",
            folder.resolve("node-ca.pem").toString()
        };
    }

    /** For BookKeeper's own bookie. */
    String ofStockBookie() {
        return """
                tlsProviderFactoryClass=org.apache.bookkeeper.tls.TLSContextFactory
                tlsClientAuthentication=true
                tlsCertificatePath=%1$s/node.pem
                tlsKeyStoreType=PEM
                tlsKeyStore=%1$s/node-key.pem
                tlsTrustStoreType=PEM
                tlsTrustStore=%1$s/node-ca.pem
                """.formatted(folder);
    }

    /** Value of {@code tls} of a bookie of ours, and of {@code bookkeeper.tls} and {@code internal.tls} of a node. */
    String ofNode() {
        return "{certificate: '%1$s/node.pem', key: '%1$s/node-key.pem', authorities: '%1$s/node-ca.pem'}"
                .formatted(folder);
    }
}
