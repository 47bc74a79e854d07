/**
 * Fields of a log line that CloudWatch makes a metric of, in the namespace that the alarms watch:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export const counted = (metric: string, value: number, stage: string, now: Date) => ({
  _aws: {
    Timestamp: now.getTime(),
    CloudWatchMetrics: [{ Namespace: 'Gleaner', Dimensions: [['Stage']], Metrics: [{ Name: metric, Unit: 'Count' }] }],
  },
  ...{ Stage: stage, [metric]: value },
});
