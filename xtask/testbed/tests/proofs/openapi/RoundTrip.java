import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;

/** Reads each object of `objects.json` as the class that is generated for it, and compares what is written. */
public class RoundTrip {
    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = example.ApiClient.createDefaultObjectMapper();
        for (JsonNode entry : new ObjectMapper().readTree(new File("objects.json"))) {
            StringBuilder name = new StringBuilder("example.model.");
            for (String part : entry.get("schema").asText().split("[.-]")) {
                name.append(part.substring(0, 1).toUpperCase()).append(part.substring(1));
            }
            Object object = mapper.treeToValue(entry.get("object"), Class.forName(name.toString()));
            JsonNode written = mapper.readTree(mapper.writeValueAsString(object));
            if (!written.equals(entry.get("object"))) {
                throw new AssertionError(name + "\n" + entry.get("object") + "\n" + written);
            }
        }
    }
}
