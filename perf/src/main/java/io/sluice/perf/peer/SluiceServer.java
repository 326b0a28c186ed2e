package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The server of this project, started as its users start it. */
final class SluiceServer implements Contender {
    /** Builds it when it is older than its sources. */
    private static final Duration BUILT_WITHIN = Duration.ofMinutes(10);

    private final String name;
    private final String fsync;
    private final ServerSetup setup;
    private final Checkout checkout;
    private final Map<String, String> settings;

    /** @param fsync when, for the record */
    SluiceServer(String name, String fsync, ServerSetup setup, Checkout checkout, Map<String, String> settings) {
        this.name = name;
        this.fsync = fsync;
        this.setup = setup;
        this.checkout = checkout;
        this.settings = Map.copyOf(settings);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<String> protocols() {
        return List.of("kafka", "pulsar");
    }

    @Override
    public void prepare() throws PeerException, InterruptedException {
        List<String> command = List.of(checkout.launcher().toString(), "version");
        try (var version =
                ServerChild.start("building sluice", command, Map.of(), checkout.home(), setup.log("sluice-build"))) {
            version.awaitSuccess(BUILT_WITHIN);
        }
    }

    @Override
    public RunningServer start(Path folder) throws PeerException, InterruptedException {
        List<Integer> ports = LoopbackPorts.free(3);
        int http = ports.get(2);
        Path configuration = folder.resolve("perf.yaml");
        String memory = setup.memoryMebibytes() + "m";
        try {
            Files.writeString(configuration, """
                    kafka: {port: %d%s}
                    pulsar: {port: %d}
                    http: {port: %d}
                    %s
                    """.formatted(
                            ports.get(0), setup.tls() == null ? "" : ", tls: true", ports.get(1), http, certificate()));
        } catch (IOException e) {
            throw new PeerException("cannot write " + configuration + ": " + e.getMessage(), e);
        }
        List<String> command = new ArrayList<>(List.of(
                checkout.launcher().toString(),
                "standalone",
                "--data",
                folder.resolve("data").toString(),
                "--config",
                configuration.toString(),
                "--memory",
                memory));
        settings.forEach((key, value) -> command.addAll(List.of("--set", key + "=" + value)));
        var child = ServerChild.start(name(), setup.onCores(command), Map.of(), folder, setup.log(name()));
        child.awaitReady(() -> !HttpProbe.get(http, "/ready").isEmpty());
        return new RunningServer(
                child,
                folder,
                Map.of(
                        "kafka",
                        setup.kafka(ports.get(0)),
                        "pulsar",
                        "pulsar://127.0.0.1:" + ports.get(1) + "?http=http://127.0.0.1:" + http),
                version(),
                Map.of(
                        "memory",
                        memory + " for all of the process",
                        "fsync",
                        fsync,
                        "cores",
                        setup.coresText(),
                        "tls",
                        setup.tlsText()));
    }

    private String certificate() {
        Certificates tls = setup.tls();
        return tls == null
                ? ""
                : "security: {tls: {certificate: '%s', key: '%s'}}".formatted(tls.certificate(), tls.key());
    }

    /** Second word of the first line that {@code ./sluice version} printed. */
    private String version() throws PeerException {
        try {
            String[] words = Files.readString(setup.log("sluice-build")).split("\\s+", 3);
            return words.length > 1 ? words[1] : "";
        } catch (IOException e) {
            throw new PeerException("cannot read the version of sluice: " + e.getMessage(), e);
        }
    }
}
