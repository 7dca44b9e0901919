import "./submit/catalogue-picker";
import "./submit/job-form";
import "./submit/side-tabs";
import "./submit/job-editor";
