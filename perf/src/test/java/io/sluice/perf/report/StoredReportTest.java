package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.ResultFiles;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.poi.ss.usermodel.Cell;
import org.apache.poi.ss.usermodel.CellType;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Node;

/** A report on stored results says, number by number, what it said when {@code report.txt} was stored. */
class StoredReportTest {
    private static final Path STORED = Path.of("src", "test", "resources", "io", "sluice", "perf", "report", "stored");
    private static final Path TARGET = Path.of("target", "stored-report");
    private static final Set<String> BLOCKS = Set.of("h1", "h2", "h3", "p", "tr", "figcaption");
    private static final MathContext DIGITS = new MathContext(9);

    @Test
    void saysTheSameNumbers() throws Exception {
        ReportFiles report = ReportFiles.write(ResultFiles.read(STORED), TARGET);
        List<String> said = new ArrayList<>();
        addPage(Files.readString(report.page()), said);
        addWorkbook(report.workbook(), said);
        Files.write(TARGET.resolve("report.txt"), said); // to be stored after a change that is meant

        assertThat(said).containsExactlyElementsOf(Files.readAllLines(STORED.resolve("report.txt")));
    }

    private static void addPage(String page, List<String> said) throws Exception {
        addBlocks(PageMarkup.parse(page).getDocumentElement(), said);
    }

    /** A line for each block: its texts, without the spaces of the source between them; cells are told apart. */
    private static void addBlocks(Node node, List<String> said) {
        if (BLOCKS.contains(node.getNodeName())) {
            List<String> texts = new ArrayList<>();
            addTexts(node, texts);
            said.add(node.getNodeName() + ": " + String.join(" ", texts));
            return;
        }
        for (Node child = node.getFirstChild(); child != null; child = child.getNextSibling()) {
            addBlocks(child, said);
        }
    }

    private static void addTexts(Node node, List<String> texts) {
        if (node.getNodeType() == Node.TEXT_NODE) {
            String text = node.getTextContent().strip().replaceAll("\\s+", " ");
            if (!text.isEmpty()) {
                texts.add(text);
            }
        }
        for (Node child = node.getFirstChild(); child != null; child = child.getNextSibling()) {
            addTexts(child, texts);
        }
        if (Set.of("td", "th").contains(node.getNodeName())) {
            texts.add("|");
        }
    }

    private static void addWorkbook(Path file, List<String> said) throws Exception {
        try (var workbook = new XSSFWorkbook(file.toFile())) {
            workbook.forEach(sheet -> sheet.forEach(row -> said.add(sheet.getSheetName() + ": "
                    + StreamSupport.stream(row.spliterator(), false)
                            .map(StoredReportTest::text)
                            .collect(Collectors.joining(" | ")))));
        }
    }

    private static String text(Cell cell) {
        return cell.getCellType() == CellType.NUMERIC
                ? new BigDecimal(cell.getNumericCellValue())
                        .round(DIGITS)
                        .stripTrailingZeros()
                        .toPlainString()
                : cell.toString();
    }
}
