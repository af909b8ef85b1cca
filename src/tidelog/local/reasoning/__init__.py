"""What a knowledge base in this process concludes from ontologies: `ontology_kb` takes them, and answers graphs."""
