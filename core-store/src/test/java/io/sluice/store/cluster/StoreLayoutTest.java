package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StoreLayoutTest {
    private static final UUID CLUSTER = new UUID(1, 2);

    private final InMemoryMetadata metadata = new InMemoryMetadata();

    @Test
    void theFirstStartDecidesAndLaterSettingsDoNot() throws IOException {
        StoreLayout first = StoreLayout.readOrInitialise(metadata, 16, UUID::randomUUID);
        StoreLayout later = StoreLayout.readOrInitialise(metadata, 4, UUID::randomUUID);
        assertThat(first.containers()).hasSize(16);
        assertThat(later).isEqualTo(first);
    }

    @Test
    void refusesALayoutOfANewerRelease() throws IOException {
        metadata.put("/sluice/cluster", "9 something else".getBytes(US_ASCII), Metadata.ABSENT);
        assertThatThrownBy(() -> StoreLayout.readOrInitialise(metadata, 4, UUID::randomUUID))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("format 9");
    }

    @Test
    void aNumberThatOnlyRoseStaysInTheFirstFormat() throws IOException {
        metadata.put("/sluice/cluster", line("1", 4).getBytes(US_ASCII), Metadata.ABSENT);
        StoreLayout grown = StoreLayout.change(metadata, layout -> layout.grow(2));
        assertThat(grown.containers()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(stored()).isEqualTo(line("1", 6));
        assertThat(StoreLayout.read(metadata)).isEqualTo(grown);
    }

    @Test
    void idsAreNeverUsedAgain() throws IOException {
        StoreLayout.readOrInitialise(metadata, 4, () -> CLUSTER);
        StoreLayout.change(metadata, layout -> layout.grow(2).withLeaving(List.of(3, 5)));
        assertThat(stored()).isEqualTo(line("2", 6, "0", "1", "2", "3:leaving", "4", "5:leaving"));
        StoreLayout going = Objects.requireNonNull(StoreLayout.read(metadata));
        assertThat(going.containers()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(going.staying()).containsExactly(0, 1, 2, 4);
        assertThat(going.leaving()).containsExactly(3, 5);

        StoreLayout.change(metadata, layout -> layout.without(3).without(5));
        assertThat(stored()).isEqualTo(line("2", 6, "0", "1", "2", "4"));
        assertThat(StoreLayout.change(metadata, layout -> layout.grow(1)).containers())
                .containsExactly(0, 1, 2, 4, 6);
    }

    @Test
    void whatIsToBeRemovedMayStay() throws IOException {
        StoreLayout.readOrInitialise(metadata, 2, () -> CLUSTER);
        StoreLayout.change(metadata, layout -> layout.withLeaving(List.of(1)));
        StoreLayout.change(metadata, layout -> layout.withLeaving(List.of()));
        assertThat(stored()).isEqualTo(line("1", 2));
        assertThat(StoreLayout.change(metadata, layout -> layout.without(1)).containers())
                .containsExactly(0, 1);
    }

    @Test
    void ofTwoLayoutsOneIsTheLater() throws IOException {
        StoreLayout first = StoreLayout.readOrInitialise(metadata, 2, () -> CLUSTER);
        List<StoreLayout> inTurn = List.of(
                first,
                first.withLeaving(List.of(1)),
                first.withLeaving(List.of(1)).grow(1),
                first.withLeaving(List.of(1)).grow(1).without(1),
                first.withLeaving(List.of(1)).grow(1).without(1).withLeaving(List.of(2)),
                first.withLeaving(List.of(1))
                        .grow(1)
                        .without(1)
                        .withLeaving(List.of(2))
                        .without(2));
        for (int a = 0; a < inTurn.size(); a++) {
            for (int b = 0; b < inTurn.size(); b++) {
                assertThat(inTurn.get(a).isBefore(inTurn.get(b))).isEqualTo(a < b);
            }
        }
    }

    @Test
    void oneContainerStays() throws IOException {
        StoreLayout.readOrInitialise(metadata, 2, () -> CLUSTER);
        assertThatThrownBy(() -> StoreLayout.change(metadata, layout -> layout.withLeaving(List.of(0, 1))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(stored()).isEqualTo(line("1", 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0:leaving", "0 1:fast", "1 0", "0 0", "7", "-1", "x", ""})
    void refusesWhatItDoesNotUnderstand(String containers) throws IOException {
        metadata.put("/sluice/cluster", line("2", 4, containers).getBytes(US_ASCII), Metadata.ABSENT);
        assertThatThrownBy(() -> StoreLayout.read(metadata))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("/sluice/cluster cannot be read");
    }

    private static String line(String format, int number, String... containers) {
        String members = containers.length == 0 ? "" : " " + String.join(" ", containers);
        return format + " " + CLUSTER + " " + number + members;
    }

    private String stored() throws IOException {
        return new String(
                Objects.requireNonNull(metadata.get("/sluice/cluster")).value(), US_ASCII);
    }

    @Test
    void containersHaveALevelOfDurabilityForEver() throws IOException {
        StoreLayout.readOrInitialise(metadata, 2, () -> CLUSTER);
        StoreLayout grown =
                StoreLayout.change(metadata, layout -> layout.grow(2, 2).grow(1));
        assertThat(StoreLayout.read(metadata)).isEqualTo(grown);
        assertThat(stored()).isEqualTo(line("2", 5, "0", "1", "2:level2", "3:level2", "4"));
        assertThat(grown.staying(1)).containsExactly(0, 1, 4);
        assertThat(grown.withLeaving(List.of(3)).staying(2)).containsExactly(2);
        assertThat(grown.level(3)).isEqualTo(2);
        assertThatThrownBy(() -> grown.grow(1, 5)).hasMessageContaining("level of durability 5");
        assertThatThrownBy(() -> grown.withLeaving(List.of(0, 1, 4))).hasMessageContaining("of level 1 that stays");
    }
}
