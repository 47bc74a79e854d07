import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import software.amazon.event.ruler.Ruler;

/** Each line of the input is {"pattern", "event"}; each line of the output says what EventBridge's own matcher makes of it. */
public class Match {
  public static void main(String[] arguments) throws Exception {
    var json = new ObjectMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      JsonNode one = json.readTree(line);
      try {
        System.out.println(Ruler.matchesRule(one.get("event").toString(), one.get("pattern").toString()));
      } catch (Exception e) {
        System.out.println("refused: " + String.valueOf(e.getMessage()).replace('\n', ' '));
      }
    }
  }
}
