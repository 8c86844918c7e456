import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('mailbox', '0005_calls'),
    ]

    operations = [
        migrations.CreateModel(
            name='Usage',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('attempt', models.PositiveIntegerField(default=0)),
                ('purpose', models.CharField(max_length=16)),
                ('input_tokens', models.PositiveIntegerField(default=0)),
                ('output_tokens', models.PositiveIntegerField(default=0)),
                ('at', models.DateTimeField()),
                ('charged_at', models.DateTimeField(null=True)),
                ('seat', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='usages', to='mailbox.seat')),
                ('turn', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='usages', to='mailbox.turn')),
            ],
            options={
                'indexes': [models.Index(fields=['seat', 'at'], name='usage_seat'), models.Index(condition=models.Q(('charged_at', None)), fields=['at'], name='usage_uncharged')],
            },
        ),
    ]
