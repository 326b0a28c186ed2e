package io.sluice.perf.peer;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All systems, by name. */
public final class Contenders {
    private final Map<String, Contender> byName = new LinkedHashMap<>();

    public Contenders(ServerSetup setup, Checkout checkout) {
        for (Contender contender : List.of(
                sluice(setup, checkout, Map.of()),
                new SluiceServer(
                        "sluice-2", "left to a moment later", setup, checkout, Map.of("topics.durability", "2")),
                new KafkaServer(false, setup, checkout),
                new KafkaServer(true, setup, checkout),
                new PulsarServer(true, setup, checkout),
                new PulsarServer(false, setup, checkout),
                new PravegaServer(setup, checkout))) {
            byName.put(contender.name(), contender);
        }
    }

    /** Sluice with settings that differ from those it comes with, by their names in its configuration. */
    public static Contender sluice(ServerSetup setup, Checkout checkout, Map<String, String> settings) {
        return new SluiceServer("sluice", "every write of its log", setup, checkout, settings);
    }

    public Contender named(String name) throws PeerException {
        Contender contender = byName.get(name);
        if (contender == null) {
            throw new PeerException(
                    "no system is called '" + name + "'; there are " + String.join(", ", byName.keySet()));
        }
        return contender;
    }
}
