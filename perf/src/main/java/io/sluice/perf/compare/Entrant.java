package io.sluice.perf.compare;

import io.sluice.perf.peer.Contender;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A system that takes part, over one protocol. */
public record Entrant(Contender contender, String protocol) {
    public Entrant {
        if (!contender.protocols().contains(protocol)) {
            throw new IllegalArgumentException(contender.name() + " does not speak " + protocol + " but "
                    + String.join(", ", contender.protocols()));
        }
    }

    /**
     * Sluice, and then the peers over their own protocol, or over each of those chosen that they speak. Without a choice of protocols, Sluice takes part once over each one
     * of the peers' that it speaks, or over its first if it speaks none of theirs.
     *
     * @param protocols to drive Sluice over; empty for those of the peers
     */
    public static List<Entrant> lineup(Contender sluice, List<Contender> peers, List<String> protocols) {
        Set<String> chosen = new LinkedHashSet<>(protocols);
        if (chosen.isEmpty()) {
            peers.forEach(peer -> chosen.addAll(peer.protocols()));
            chosen.retainAll(sluice.protocols());
        }
        if (chosen.isEmpty()) {
            chosen.add(sluice.protocols().getFirst());
        }
        List<Entrant> entrants = new ArrayList<>();
        chosen.forEach(protocol -> entrants.add(new Entrant(sluice, protocol)));
        for (Contender peer : peers) {
            List<String> spoken =
                    peer.protocols().stream().filter(chosen::contains).toList();
            (spoken.isEmpty() ? List.of(peer.protocols().getFirst()) : spoken)
                    .forEach(protocol -> entrants.add(new Entrant(peer, protocol)));
        }
        return List.copyOf(entrants);
    }

    @Override
    public String toString() {
        return contender.protocols().size() == 1 ? contender.name() : contender.name() + " over " + protocol;
    }
}
